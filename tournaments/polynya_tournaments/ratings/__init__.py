"""What a rating is, by Elo and by OpenSkill.

Arithmetic without a database.
"""
