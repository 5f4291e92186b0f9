"""How do people log in with an account that another house keeps (OpenID Connect)?"""
