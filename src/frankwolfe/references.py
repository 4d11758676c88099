"""BibTeX of the methods."""

from __future__ import annotations

__all__ = [
    "AFW",
    "AWAY",
    "BLENDED",
    "BLENDED_PAIRWISE",
    "DECOMPOSITION_INVARIANT",
    "FRANK_WOLFE",
    "IN_FACE",
    "JACOBI",
    "LAUE",
    "LAZY",
    "NEWTON_FW",
]

FRANK_WOLFE = """\
@article{frank1956algorithm,
  author  = {Frank, Marguerite and Wolfe, Philip},
  title   = {An algorithm for quadratic programming},
  journal = {Naval Research Logistics Quarterly},
  volume  = {3}, number = {1--2}, pages = {95--110}, year = {1956}
}"""

JACOBI = """\
@misc{francis_jacobi,
  author = {Francis, Robin and Chepuri, Sundeep Prabhakar},
  title  = {Faster Rates for the {Frank-Wolfe} Algorithm Using {Jacobi} Polynomials},
  note   = {Indian Institute of Science, Bangalore}
}"""

AFW = """\
@article{li2021momentum,
  author  = {Li, Bingcong and Coutino, Mario and Giannakis, Georgios B. and Leus, Geert},
  title   = {A Momentum-Guided {Frank-Wolfe} Algorithm},
  journal = {IEEE Transactions on Signal Processing},
  volume  = {69}, pages = {3597--3611}, year = {2021}
}"""

LAUE = """\
@inproceedings{laue2012hybrid,
  author    = {Laue, S{\\"o}ren},
  title     = {A Hybrid Algorithm for Convex Semidefinite Optimization},
  booktitle = {International Conference on Machine Learning},
  year      = {2012}
}"""

AWAY = """\
@inproceedings{lacostejulien2015global,
  author    = {Lacoste-Julien, Simon and Jaggi, Martin},
  title     = {On the Global Linear Convergence of {Frank-Wolfe} Optimization Variants},
  booktitle = {Advances in Neural Information Processing Systems},
  volume    = {28}, year = {2015}
}"""

BLENDED_PAIRWISE = """\
@inproceedings{tsuji2022pairwise,
  author    = {Tsuji, Kazuma K. and Tanaka, Ken'ichiro and Pokutta, Sebastian},
  title     = {Pairwise Conditional Gradients without Swap Steps and Sparser Kernel Herding},
  booktitle = {International Conference on Machine Learning},
  year      = {2022}
}"""

NEWTON_FW = """\
@article{liu2022newton,
  author  = {Liu, Deyi and Cevher, Volkan and Tran-Dinh, Quoc},
  title   = {A {Newton} {Frank-Wolfe} Method for Constrained Self-Concordant Minimization},
  journal = {Journal of Global Optimization},
  volume  = {83}, pages = {273--299}, year = {2022}
}"""

IN_FACE = """\
@article{freund2017inface,
  author  = {Freund, Robert M. and Grigas, Paul and Mazumder, Rahul},
  title   = {An Extended {Frank-Wolfe} Method with ``In-Face'' Directions, and Its Application
             to Low-Rank Matrix Completion},
  journal = {SIAM Journal on Optimization},
  volume  = {27}, number = {1}, pages = {319--346}, year = {2017}
}"""

LAZY = """\
@inproceedings{braun2017lazifying,
  author    = {Braun, G{\\'a}bor and Pokutta, Sebastian and Zink, Daniel},
  title     = {Lazifying Conditional Gradient Algorithms},
  booktitle = {International Conference on Machine Learning},
  year      = {2017}
}"""

BLENDED = """\
@inproceedings{braun2019blended,
  author    = {Braun, G{\\'a}bor and Pokutta, Sebastian and Tu, Dan and Wright, Stephen},
  title     = {Blended Conditional Gradients: the unconditioning of conditional gradients},
  booktitle = {International Conference on Machine Learning},
  year      = {2019}
}"""

DECOMPOSITION_INVARIANT = """\
@inproceedings{garber2016linear,
  author    = {Garber, Dan and Meshi, Ofer},
  title     = {Linear-Memory and Decomposition-Invariant Linearly Convergent Conditional
               Gradient Algorithm for Structured Polytopes},
  booktitle = {Advances in Neural Information Processing Systems},
  volume    = {29}, year = {2016}
}"""
