"""The example notebooks run from top to bottom, in a kernel of their own."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A notebook after its run, and the empty folder it ran in."""
    folder = tmp_path_factory.mktemp("notebook")
    return request.param, executed(request.param, folder), folder


def executed(path: Path, folder: Path) -> Any:
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    with warnings.catch_warnings():
        # What the notebook's client warns about on its own account is not ours to mend.
        warnings.simplefilter("ignore")
        nbclient = pytest.importorskip("nbclient")
        notebook = nbformat.read(path, as_version=4)
        resources = {"metadata": {"path": str(folder)}}
        nbclient.NotebookClient(notebook, timeout=None, resources=resources).execute()
    return notebook


@pytest.mark.budget(60)
def test_notebooks_run(run: Any) -> None:
    _, notebook, folder = run
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)
    assert not list(folder.iterdir()), "an example leaves files behind"


@pytest.mark.budget(60)
def test_the_generators_error_comes_out(run: Any) -> None:
    """The stand-in errs by a Weber fraction of .15 above three: about the ideal observer."""
    path, notebook, _ = run
    if path.stem != "own_generator":
        pytest.skip("another notebook")
    shown = notebook.cells[-2].outputs[0].data["text/plain"]
    accuracy, mwe, level, likeness = (float(word) for word in shown.splitlines()[-1].split()[1:5])
    assert 0.5 < accuracy < 0.75
    assert 0.04 < mwe < 0.11
    assert 3 <= level <= 5
    assert likeness > 0.95


def test_notebooks_are_stored_without_output() -> None:
    nbformat = pytest.importorskip("nbformat")
    assert NOTEBOOKS
    for path in NOTEBOOKS:
        for cell in nbformat.read(path, as_version=4).cells:
            assert not cell.get("outputs"), path.name
