"""The examples in the docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import subitize

MODULES = sorted(
    module.name for module in pkgutil.walk_packages(subitize.__path__, prefix="subitize.")
)
OPTIONAL = {"torch", "transformers", "diffusers", "ray", "inspect_ai", "wordfreq"}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    if name.endswith("__main__"):
        pytest.skip("running it is its only purpose")
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in OPTIONAL:
            raise
        pytest.skip(f"{name} needs the optional package {error.name}")
    failed, _ = doctest.testmod(module)
    assert failed == 0
