"""ConvExplorer: a kernel that slides over an image, each window a view of it.

https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.conv2d.html
"""
