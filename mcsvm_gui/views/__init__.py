"""Widgets, forms, tables and plots; no decisions, no arithmetic."""
