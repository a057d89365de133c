"""Hooks of the site: pages that lie outside docs/, and links between them and docs/.

In the repository a link names a file, so that it also works in an editor or on a code host. On the
site the pages of the laboratory are in `laboratory/` and the cards of the models in `models/`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = {
    "lab/docs": "laboratory",
    "sdk/pocketintent/assets": "models",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "README.md": "index.md",
}
"""Pages outside docs/, or folders of them, and their places on the site; the start page of the site
takes the place of the README."""
SUFFIXES = {".md", ".png", ".jsonl"}
LINK = re.compile(r"(\]\(<?)([^)\s>#]+)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and pictures of the folders outside docs/."""
    for folder, place in OUTSIDE.items():
        for path in sorted((ROOT / folder).rglob("*")) or [ROOT / folder]:
            uri = (Path(place) / path.relative_to(ROOT / folder)).as_posix()
            if path.suffix in SUFFIXES and files.get_file_from_path(uri) is None:
                files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links between files of the repository into links between pages of the site."""
    assert page.file.abs_src_path is not None
    folder = Path(page.file.abs_src_path).parent
    here = os.path.dirname(page.file.src_uri)

    def turn(match: re.Match[str]) -> str:
        target = (folder / match[2]).resolve()
        if re.match(r"[a-z]+:", match[2]) or not target.is_relative_to(ROOT):
            return match[0]
        return match[1] + os.path.relpath(_place_on_site(target.relative_to(ROOT)), here or ".")

    return LINK.sub(turn, markdown)


def _place_on_site(path: Path) -> str:
    """The address on the site of a file of the repository; its own path for a file of no page."""
    for folder, place in {"docs": "", **OUTSIDE}.items():
        if path.is_relative_to(folder):
            return (Path(place) / path.relative_to(folder)).as_posix()
    return path.as_posix()
