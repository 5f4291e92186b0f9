"""How fast is the service, compared with what is possible on this machine in the same minute?"""
