"""The settings for fitting the points: machines, kernel, cost and bias, as a frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from mcsvm_gui.core.machine import names

if TYPE_CHECKING:
    from mcsvm.solvers.kernels import Kernel
    from mcsvm_gui.core.machine.request import Request

MOST_MACHINES = 6
SIX = tuple(names.MACHINES)
KERNELS, BIASES = tuple(names.KERNELS), ("", *names.BIASES)
COST_RANGE, GAMMA_RANGE = (-6, 14), (-6, 8)  # exponents of 2
TOLERANCE = 1e-3


@dataclass(frozen=True)
class FitOptions:
    machines: tuple[str, ...] = SIX
    kernel: str = "rbf"
    log_cost: float = 2.0
    log_gamma: float = 1.0
    bias: str = ""  # empty: the default of machine and kernel
    degree: int = 3
    coef0: float = 1.0

    @property
    def cost(self) -> float:
        return 2.0**self.log_cost

    @property
    def gamma(self) -> float:
        return 2.0**self.log_gamma

    def kernel_itself(self) -> Kernel:
        from mcsvm.solvers import kernels
        from mcsvm.solvers.posing import kernel_from

        coef0 = -1.0 if self.kernel == "sigmoid" else self.coef0
        return kernel_from(self.kernel, kernels.KERNELS, gamma=self.gamma, degree=self.degree, coef0=coef0)

    def request(self, machine: str, **more: Any) -> Request:
        """Return the request of the same training."""
        from mcsvm_gui.core.machine.request import Request

        kernel = self.kernel_itself()
        return Request(
            machine=machine,
            kernel=self.kernel,
            C=self.cost,
            bias=self.bias or None,
            tol=TOLERANCE,
            **{name: getattr(kernel, name) for name in kernel.parameters},
            **more,
        )

    def document(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> FitOptions:
        """Read a setting; raise ValueError or TypeError if the document is not one."""
        made = cls(**{**document, "machines": tuple(document["machines"])})
        (least, most), (narrow, wide) = COST_RANGE, GAMMA_RANGE
        inside = least <= made.log_cost <= most and narrow <= made.log_gamma <= wide
        named = set(made.machines) <= set(SIX) and made.kernel in KERNELS and made.bias in BIASES
        if not (inside and named and type(made.degree) is int and type(made.coef0) in (int, float)):
            raise ValueError("this is no setting of the playground")
        return made
