"""Reading the project's Markdown: code blocks and tables, so that tests hold them to it."""

from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def docs(name):
    return (DOCS / name).read_text()


def code_block(text, language):
    """Return the only code block in this language."""
    parts = text.split(f"```{language}\n")
    assert len(parts) == 2, f"{len(parts) - 1} blocks in {language}"
    return parts[1].partition("```")[0]


def table(text, first_heading):
    """Return the rows of the table whose first column has this heading, as cells."""
    lines = text.partition(f"| {first_heading} |")[2].splitlines()[2:]
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    assert rows
    return rows
