from __future__ import annotations

import hashlib

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.datasets import DATASETS

HASHES = {
    "breast_cancer": "402c585309c399237740f635ef9919dc512cca12cbeb20de5e563a4593f22b64",
    "pima": "6bfe5d0f379d17a0e0819b996407e3c09bf80febd4287f2ed212190dfff154af",
}


@pytest.mark.parametrize("name", DATASETS)
def test_tables_are_the_published_files_with_source_and_licence(name):
    table = DATASETS[name]()
    assert table.sha256 == HASHES[name]
    assert table.data.shape[1] == len(table.columns)
    assert table.source
    assert table.licence
    assert table.name in repr(table)


def test_breast_cancer():
    table = fw.datasets.breast_cancer()
    assert table.data.shape == (699, 11)
    assert np.isnan(table.data).sum() == 16
    A, b = table.paper()
    assert A.shape == (698, 9)
    assert np.isfinite(A).all()
    assert (b == 1).sum() == 241


def test_pima():
    table = fw.datasets.pima()
    assert table.data.shape == (768, 9)
    A, b = table.paper()
    assert A.shape == (767, 8)
    assert (b == 1).sum() == 267


@pytest.mark.parametrize("file", ["breast-cancer-wisconsin.data", "pima-indians-diabetes.csv"])
def test_shipped_files_equal_the_originals(file, data_folder):
    digest = hashlib.sha256((data_folder / file).read_bytes()).hexdigest()
    assert digest in HASHES.values()
