"""Commands: `python -m training prepare | begin | train | export | evaluate | measure` (docs/reader.md)."""

import json
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help=__doc__, no_args_is_help=True)
Work = Annotated[Path, typer.Option(help="Folder of windows and state, outside the repository.")]
Seed = Annotated[int, typer.Option(help="Of every random choice.")]
WORK, SEED = Path("../training-work"), 7
STATE, GRAPH = "state.npz", "reader.onnx"


@app.command()
def prepare(
    data: Annotated[Path, typer.Argument(help="Folder of the public data.")], work: Work = WORK, seed: Seed = SEED
) -> None:
    """Make the windows to train on, and keep examples for measuring; four minutes."""
    from training.prepare import prepare

    for corpus, count in prepare(data, work, seed).items():
        print(f"{corpus}: {count} windows")


@app.command()
def train(
    minutes: Annotated[float, typer.Argument(help="Length of this stretch.")], work: Work = WORK, seed: Seed = SEED
) -> None:
    """Train for a stretch; a killed one goes on from its last hundred steps."""
    from training.train import train

    train(work, work / STATE, minutes, seed)


@app.command()
def begin(graph: Annotated[Path, typer.Argument(help="The ONNX file.")], work: Work = WORK) -> None:
    """Write a state of an exported file's weights, its optimizer begun anew, for `train` to go on from."""
    from training.restart import exported_arrays
    from training.train import State

    State.begin(exported_arrays(graph)).save(work / STATE)


@app.command()
def export(
    work: Work = WORK, exact: Annotated[bool, typer.Option("--float32", help="Matrices as they are.")] = False
) -> None:
    """Write the graph of the last saved state, int8 unless told otherwise."""
    from training.export import export
    from wenmai.embedders.e5.weights import open_weights

    size = export(work / STATE, work / GRAPH, open_weights(), "float32" if exact else "int8")
    print(f"{work / GRAPH}: {size:,} bytes")


@app.command()
def evaluate(
    graph: Annotated[Path, typer.Argument(help="The ONNX file.")],
    work: Work = WORK,
    limit: Annotated[int, typer.Option(help="Examples of a corpus at most.")] = 500,
    seed: Seed = SEED,
    figures: Annotated[Path | None, typer.Option("--json", help="Where to write the figures.")] = None,
) -> None:
    """Measure a graph on the examples that were kept."""
    from training.evaluate import evaluate

    found = evaluate(graph, work / "measured.jsonl", limit, seed)
    if figures:
        figures.write_text(json.dumps(found, indent=1), encoding="utf-8")


@app.command()
def measure(
    file: Annotated[Path, typer.Argument(help="Questions in SQuAD's format.", exists=True, dir_okay=False)],
    graph: Annotated[Path | None, typer.Option(help="The ONNX file; the shipped one by default.")] = None,
    as_read: Annotated[bool, typer.Option("--read", help="As the mind reads, not the reader alone.")] = False,
) -> None:
    """Measure the shipped reader on any questions on passages: EM, F1, right sentence, by question word."""
    from training.measure import measure

    for kind, found in measure(file, graph, as_read=as_read).items():
        shown = "  ".join(f"{name} {value:.2f}" for name, value in found.items() if name != "n")
        print(f"{kind:10} n {found['n']:5.0f}  {shown}")


if __name__ == "__main__":
    app()
