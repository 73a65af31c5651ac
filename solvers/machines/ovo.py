"""One-vs-one: one binary machine per pair of classes."""

from mcsvm.solvers.machines.form import Machine, binary_form

MACHINE = Machine(
    name="ovo",
    title="One-vs-one",
    decides="one binary machine per pair of classes; the class with most votes wins",
    form=lambda classes, margin: binary_form(margin),
    bias="exact",
    split="pairs",
    vote="votes",
)
