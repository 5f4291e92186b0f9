"""Which commands does manage.py know besides Django's?"""
