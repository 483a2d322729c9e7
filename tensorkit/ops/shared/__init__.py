"""What several families of operations are made of: reading numbers and sizes, filling, copying, `out=`, conversion
between dtypes and devices.
"""
