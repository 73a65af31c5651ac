"""DAGSVM: trained as one-vs-one; predicts by walking a graph that drops one class per step."""

from mcsvm.solvers.machines.form import Machine, binary_form

MACHINE = Machine(
    name="dag",
    title="DAG",
    decides="one binary machine per pair of classes; pairs drop one class after another until one is left",
    form=lambda classes, margin: binary_form(margin),
    bias="exact",
    split="pairs",
    vote="graph",
)
