"""The meaning of a rating, by Elo and by OpenSkill.

Arithmetic without a database.
"""
