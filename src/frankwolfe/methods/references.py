"""BibTeX references of the methods: the papers in which their algorithms stand."""

from __future__ import annotations

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
  booktitle = {International Conference on Machine Learning}, year = {2012}
}"""

AWAY = """\
@inproceedings{lacostejulien2015global,
  author    = {Lacoste-Julien, Simon and Jaggi, Martin},
  title     = {On the Global Linear Convergence of {Frank-Wolfe} Optimization Variants},
  booktitle = {Advances in Neural Information Processing Systems}, volume = {28}, year = {2015}
}"""

BLENDED_PAIRWISE = """\
@inproceedings{tsuji2022pairwise,
  author    = {Tsuji, Kazuma K. and Tanaka, Ken'ichiro and Pokutta, Sebastian},
  title     = {Pairwise Conditional Gradients without Swap Steps and Sparser Kernel Herding},
  booktitle = {International Conference on Machine Learning}, year = {2022}
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

STOCHASTIC = """\
@article{mokhtari2020stochastic,
  author  = {Mokhtari, Aryan and Hassani, Hamed and Karbasi, Amin},
  title   = {Stochastic Conditional Gradient Methods: From Convex Minimization to Submodular
             Maximization},
  journal = {Journal of Machine Learning Research},
  volume  = {21}, number = {105}, pages = {1--49}, year = {2020}
}"""

SVRF = """\
@inproceedings{hazan2016variance,
  author    = {Hazan, Elad and Luo, Haipeng},
  title     = {Variance-Reduced and Projection-Free Stochastic Optimization},
  booktitle = {International Conference on Machine Learning}, year = {2016}
}"""

SPIDER = """\
@inproceedings{yurtsever2019conditional,
  author    = {Yurtsever, Alp and Sra, Suvrit and Cevher, Volkan},
  title     = {Conditional Gradient Methods via Stochastic Path-Integrated Differential Estimator},
  booktitle = {International Conference on Machine Learning}, year = {2019}
}"""

LAZY = """\
@inproceedings{braun2017lazifying,
  author    = {Braun, G{\\'a}bor and Pokutta, Sebastian and Zink, Daniel},
  title     = {Lazifying Conditional Gradient Algorithms},
  booktitle = {International Conference on Machine Learning}, year = {2017}
}"""

BLENDED = """\
@inproceedings{braun2019blended,
  author    = {Braun, G{\\'a}bor and Pokutta, Sebastian and Tu, Dan and Wright, Stephen},
  title     = {Blended Conditional Gradients: the unconditioning of conditional gradients},
  booktitle = {International Conference on Machine Learning}, year = {2019}
}"""

BLOCK_COORDINATE = """\
@inproceedings{lacostejulien2013block,
  author    = {Lacoste-Julien, Simon and Jaggi, Martin and Schmidt, Mark and Pletscher, Patrick},
  title     = {Block-Coordinate {Frank-Wolfe} Optimization for Structural {SVMs}},
  booktitle = {International Conference on Machine Learning}, year = {2013}
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
  booktitle = {Advances in Neural Information Processing Systems}, volume = {34}, year = {2021}
}"""

PARTAN = """\
@article{leblanc1985improved,
  author  = {LeBlanc, Larry J. and Helgason, Richard V. and Boyce, David E.},
  title   = {Improved Efficiency of the {Frank-Wolfe} Algorithm for Convex Network Programs},
  journal = {Transportation Science},
  volume  = {19}, number = {4}, pages = {445--462}, year = {1985}
}"""

CONJUGATE = """\
@article{mitradjieva2013stiff,
  author  = {Mitradjieva, Maria and Lindberg, Per Olov},
  title   = {The Stiff Is Moving---Conjugate Direction {Frank-Wolfe} Methods with Applications to
             Traffic Assignment},
  journal = {Transportation Science},
  volume  = {47}, number = {2}, pages = {280--293}, year = {2013}
}"""

BOOSTED = """\
@inproceedings{combettes2020boosting,
  author    = {Combettes, Cyrille W. and Pokutta, Sebastian},
  title     = {Boosting {Frank-Wolfe} by Chasing Gradients},
  booktitle = {International Conference on Machine Learning}, year = {2020}
}"""

DECOMPOSITION_INVARIANT = """\
@inproceedings{garber2016linear,
  author    = {Garber, Dan and Meshi, Ofer},
  title     = {Linear-Memory and Decomposition-Invariant Linearly Convergent Conditional
               Gradient Algorithm for Structured Polytopes},
  booktitle = {Advances in Neural Information Processing Systems}, volume = {29}, year = {2016}
}"""

CONDAT = """\
@article{condat2016,
  author  = {Laurent Condat},
  title   = {Fast projection onto the simplex and the $\\ell_1$ ball},
  journal = {Mathematical Programming},
  volume  = {158}, pages = {575--585}, year = {2016}
}"""

MEHROTRA = """\
@article{mehrotra1992implementation,
  author  = {Mehrotra, Sanjay},
  title   = {On the Implementation of a Primal-Dual Interior Point Method},
  journal = {SIAM Journal on Optimization},
  volume  = {2}, number = {4}, pages = {575--601}, year = {1992}
}"""

QUASI_NEWTON = """\
@inproceedings{schmidt2009optimizing,
  author    = {Schmidt, Mark and van den Berg, Ewout and Friedlander, Michael and Murphy, Kevin},
  title     = {Optimizing Costly Functions with Simple Constraints: A Limited-Memory Projected
               Quasi-{Newton} Algorithm},
  booktitle = {International Conference on Artificial Intelligence and Statistics}, year = {2009}
}"""
