"""Makes `pytest --nbval notebooks/NAME.ipynb` compare with the solved notebook; see the plugin."""

pytest_plugins = ["lessons.nbval_plugin"]
