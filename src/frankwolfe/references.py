"""BibTeX of the methods."""

from __future__ import annotations

__all__ = ["AFW", "FRANK_WOLFE", "IN_FACE", "JACOBI", "LAUE"]

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

IN_FACE = """\
@article{freund2017inface,
  author  = {Freund, Robert M. and Grigas, Paul and Mazumder, Rahul},
  title   = {An Extended {Frank-Wolfe} Method with ``In-Face'' Directions, and Its Application
             to Low-Rank Matrix Completion},
  journal = {SIAM Journal on Optimization},
  volume  = {27}, number = {1}, pages = {319--346}, year = {2017}
}"""
