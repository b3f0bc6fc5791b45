"""One file that shows a run with no kernel and no network: `Simulator.to_html`."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from typing import Any

# nothing may be fetched, whatever a token's text is
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
TITLE = "What a model may write, token by token"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 16px; background: light-dark(#ffffff, #111418); }}
h1 {{ font: 600 18px system-ui, "DejaVu Sans", sans-serif; color: light-dark(#1b1f24, #e8ecf1); }}
main {{ max-width: 1100px; margin: 0 auto; }}
{css}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
<div id="simulator"></div>
</main>
<script type="module">
{esm}
{shim}
</script>
</body>
</html>
"""


def page_text(state: dict[str, Any], esm: str, css: str, title: str = TITLE) -> str:
    """The whole page as text. state: the widget's traits, bytes allowed."""
    shim = (Path(__file__).parent / "view" / "offline.js").read_text(encoding="utf-8")
    return _PAGE.format(
        policy=_POLICY,
        title=html.escape(title),
        css=css,
        esm=esm.replace("export default ", "const view = "),
        shim=shim.replace("/* state */ {}", _literal(state)),
    )


def write_page(path: Path, state: dict[str, Any], esm: str, css: str) -> Path:
    """Write `page_text` to `path` and return it."""
    path.write_text(page_text(state, esm, css), encoding="utf-8")
    return path


def _literal(state: dict[str, Any]) -> str:
    """State as a JavaScript literal that cannot end the script element it stands in."""
    text = json.dumps(state, default=lambda b: {"base64": base64.b64encode(b).decode()})
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
