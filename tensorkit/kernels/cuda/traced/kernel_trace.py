"""What a traced launch gives back: the notes, what is wrong, and the words for it."""

from __future__ import annotations

from functools import cached_property

from tensorkit.kernels.cuda.traced.findings import Finding, look
from tensorkit.kernels.cuda.traced.notes import Notes
from tensorkit.kernels.cuda.traced.report import headline, written
from tensorkit.kernels.cuda.traced.traffic import Traffic, count


class KernelTrace(Notes):
    """What a grid of threads did, and what is wrong with it. Printed, it is a summary in words."""

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong: see `Finding`. The gravest first."""
        return look(self)

    def _of(self, kind: str) -> tuple[Finding, ...]:
        return tuple(found for found in self.findings if found.kind == kind)

    @property
    def out_of_bounds(self) -> tuple[Finding, ...]:
        """Accesses outside an array: they were not carried out."""
        return self._of("out of bounds")

    @property
    def divergent_barriers(self) -> tuple[Finding, ...]:
        """Barriers that not all threads of a block reached."""
        return self._of("divergent barrier")

    @property
    def races(self) -> tuple[Finding, ...]:
        """Slots that two threads touched, one of them writing, with nothing to say who comes first."""
        return self._of("race")

    @property
    def uninitialised(self) -> tuple[Finding, ...]:
        """Shared and local memory that was read before anything was written there."""
        return self._of("uninitialised")

    @property
    def uncoalesced(self) -> tuple[Finding, ...]:
        """Instructions for which a warp fetches more of global memory than it needs."""
        return self._of("uncoalesced")

    @property
    def bank_conflicts(self) -> tuple[Finding, ...]:
        """Instructions for which the banks of shared memory make a warp wait."""
        return self._of("bank conflict")

    @property
    def traffic(self) -> tuple[Traffic, ...]:
        """What each line moved between global memory and the threads."""
        return count(self)

    def __repr__(self) -> str:
        return f"<{headline(self)}>"

    def __str__(self) -> str:
        return written(self)
