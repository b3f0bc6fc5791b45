"""The fixtures themselves: a notebook runs, is edited and saved in a real JupyterLab, offline."""

import nbformat
from playwright.sync_api import expect


def tiny(folder):
    notebook = nbformat.v4.new_notebook()
    # without a kernelspec JupyterLab asks for one in a dialog and the kernel never starts
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    notebook.cells = [nbformat.v4.new_code_cell("print(6 * 7)", id="first")]
    nbformat.write(notebook, folder / "tiny.ipynb")
    return folder / "tiny.ipynb"


def test_a_notebook_runs_is_edited_and_saved(open_notebook, tmp_path):
    notebook = open_notebook(tiny(tmp_path))
    notebook.run_all()
    output = notebook.cell("first").locator(".jp-OutputArea-output")
    expect(output).to_have_text("42\n")
    notebook.set_source("first", "print('mine')")
    notebook.run_all()
    expect(output).to_have_text("mine\n")
    notebook.save()
    saved = nbformat.read(notebook.path, 4).cells[0]
    assert saved.source == "print('mine')"
    assert saved.outputs[0]["text"] == "mine\n"


def test_both_themes(open_notebook, tmp_path):
    notebook = open_notebook(tiny(tmp_path), name="themes.ipynb")
    for dark in (True, False, True, False):  # the fixture fails the test for any page error
        notebook.set_theme(dark)
        light = notebook.page.locator("body").get_attribute("data-jp-theme-light")
        assert light == ("false" if dark else "true")
    notebook.page.wait_for_timeout(500)  # longer than JupyterLab's late work after a change
