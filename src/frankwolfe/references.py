"""BibTeX of the methods."""

from __future__ import annotations

__all__ = [
    "AFW",
    "AWAY",
    "BLENDED_PAIRWISE",
    "BOOSTED",
    "EXTRA_FW",
    "FRANK_WOLFE",
    "HEAVY_BALL",
    "JACOBI",
    "LAUE",
    "PARTAN",
    "SLIDING",
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

EXTRA_FW = """\
@inproceedings{li2021enhancing,
  author    = {Li, Bingcong and Wang, Lingda and Giannakis, Georgios B. and Zhao, Zhizhen},
  title     = {Enhancing Parameter-Free {Frank Wolfe} with an Extra Subproblem},
  booktitle = {AAAI Conference on Artificial Intelligence},
  volume    = {35}, number = {9}, pages = {8324--8331}, year = {2021}
}"""

HEAVY_BALL = """\
@inproceedings{li2021heavy,
  author    = {Li, Bingcong and Sadeghi, Alireza and Giannakis, Georgios B.},
  title     = {Heavy Ball Momentum for Conditional Gradient},
  booktitle = {Advances in Neural Information Processing Systems},
  volume    = {34}, year = {2021}
}"""

PARTAN = """\
@article{leblanc1985improved,
  author  = {LeBlanc, Larry J. and Helgason, Richard V. and Boyce, David E.},
  title   = {Improved Efficiency of the {Frank-Wolfe} Algorithm for Convex Network Programs},
  journal = {Transportation Science},
  volume  = {19}, number = {4}, pages = {445--462}, year = {1985}
}"""

BOOSTED = """\
@inproceedings{combettes2020boosting,
  author    = {Combettes, Cyrille W. and Pokutta, Sebastian},
  title     = {Boosting {Frank-Wolfe} by Chasing Gradients},
  booktitle = {International Conference on Machine Learning},
  year      = {2020}
}"""

SLIDING = """\
@article{lan2016conditional,
  author  = {Lan, Guanghui and Zhou, Yi},
  title   = {Conditional Gradient Sliding for Convex Optimization},
  journal = {SIAM Journal on Optimization},
  volume  = {26}, number = {2}, pages = {1379--1409}, year = {2016}
}"""
