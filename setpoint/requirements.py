"""What the machine must have; what is missing is said in a sentence, with the way to get it."""

import platform
import shutil


def missing() -> list[str]:
    """One sentence for each thing that is missing; empty when all is there."""
    sentences = []
    if platform.system() != "Linux":
        sentences.append("Setpoint runs projects on Linux only (its sandbox needs it): use a Linux machine or VM.")
    if shutil.which("git") is None:
        sentences.append("git is missing: install it, for example with `sudo apt-get install git`.")
    return sentences
