"""Advice on what to do next: plan, compare, check, and the tables that a fit is judged by."""
