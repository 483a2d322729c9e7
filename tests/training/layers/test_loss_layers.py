"""Layers and functions of losses are PyTorch's: text, buffers, values, gradients, warnings, refusals."""

from __future__ import annotations

import pytest

from tests.training.layers.nearly import differing

SCORES = [[0.5, -1.25, 2.0], [-0.75, 0.25, 1.5]]
TARGETS = [[0.25, 0.75, 0.5], [1.0, 0.0, 0.125]]
#: Layers, one a line, by what they are called with.
LAYERS = {
    "layer(x, y)": """
nn.L1Loss()
nn.L1Loss(reduction="sum")
nn.L1Loss(False)
nn.MSELoss()
nn.MSELoss(reduce=False)
nn.MSELoss(reduction="x")
nn.MSELoss(size_average=False, reduce=True)
nn.SmoothL1Loss(beta=0.5)
nn.SmoothL1Loss(beta=0)
nn.HuberLoss(delta=0.5)
nn.HuberLoss(delta="x")
nn.KLDivLoss()
nn.KLDivLoss(reduction="batchmean")
nn.KLDivLoss(reduction="none", log_target=True)
nn.KLDivLoss(size_average=False)
nn.PoissonNLLLoss()
nn.PoissonNLLLoss(full=True, reduction="sum")
nn.PoissonNLLLoss(reduction="x")
nn.BCEWithLogitsLoss()
nn.BCEWithLogitsLoss(tk.tensor([1.0, 2.0, 3.0]), reduction="none", pos_weight=tk.tensor([2.0, 1.0, 0.5]))
nn.SoftMarginLoss()
nn.HingeEmbeddingLoss(0.5, reduction="none")
nn.MultiLabelSoftMarginLoss()
nn.MultiLabelSoftMarginLoss(tk.tensor([1.0, 2.0, 3.0]), reduction="none")
nn.MultiLabelSoftMarginLoss(reduction="x")
""",
    "layer(x.sigmoid(), y)": """
nn.BCELoss()
nn.BCELoss(tk.tensor([1.0, 2.0, 3.0]), reduction="sum")
nn.BCELoss(None, False)
nn.PoissonNLLLoss(False)
""",
    "layer(x, tk.tensor([2, 0]))": """
nn.NLLLoss()
nn.NLLLoss(tk.tensor([1.0, 2.0, 3.0]), ignore_index=0)
nn.CrossEntropyLoss()
nn.CrossEntropyLoss(tk.tensor([1.0, 2.0, 3.0]), label_smoothing=0.25)
nn.CrossEntropyLoss(reduction="none", ignore_index=2)
nn.MultiMarginLoss()
nn.MultiMarginLoss(2, 0.5, tk.tensor([1.0, 2.0, 3.0]), reduction="none")
nn.MultiMarginLoss(3)
nn.MultiMarginLoss(weight=tk.ones(1, 3))
""",
    "layer(x, tk.tensor([[2, 0, -1], [1, -1, 0]]))": """
nn.MultiLabelMarginLoss()
nn.MultiLabelMarginLoss(reduction="none")
""",
    "layer(x, y, x.detach().abs())": """
nn.GaussianNLLLoss()
nn.GaussianNLLLoss(full=True, eps=1, reduction="none")
nn.GaussianNLLLoss(reduction="x")
nn.GaussianNLLLoss(True)
""",
    "layer(x, y, tk.tensor([[1, -1, 1], [-1, 1, -1]]))": """
nn.MarginRankingLoss()
nn.MarginRankingLoss(0.5, reduction="sum")
""",
    "layer(x, y, tk.tensor([1, -1]))": """
nn.CosineEmbeddingLoss()
nn.CosineEmbeddingLoss(0.5, reduction="none")
nn.MarginRankingLoss()
""",
    "layer(x, y, x * y)": """
nn.TripletMarginLoss()
nn.TripletMarginLoss(2, 1, swap=True, reduction="none")
nn.TripletMarginLoss(0)
nn.TripletMarginWithDistanceLoss()
nn.TripletMarginWithDistanceLoss(margin=2, swap=True, reduction="none")
nn.TripletMarginWithDistanceLoss(distance_function=nn.PairwiseDistance(1), margin=0)
nn.CosineEmbeddingLoss()
""",
    "layer(tk.stack((x, y)).log_softmax(2), tk.tensor([[1, 2], [1, 1]]), *tk.tensor([[2, 1], [2, 1]]))": """
nn.CTCLoss()
nn.CTCLoss(2, "sum", True)
nn.CTCLoss(reduction="x")
nn.CTCLoss(3)
""",
}
FUNCTIONS = """
nn.NLLLoss2d(reduction="none")(x, tk.tensor([2, 0]))
F.gaussian_nll_loss(x, y, 0.5)
F.gaussian_nll_loss(x, y, -0.5)
F.gaussian_nll_loss(x, y, tk.tensor([1.0, 2.0]))
F.gaussian_nll_loss(x, y, tk.ones(2, 1))
F.gaussian_nll_loss(x, y, tk.ones(3, 2))
F.gaussian_nll_loss(x, y, tk.tensor([1.0, -2.0]))
F.margin_ranking_loss(x, y, tk.tensor(1))
F.triplet_margin_loss(x, y, x, margin=-1)
F.triplet_margin_with_distance_loss(x, y, x * y)
F.triplet_margin_with_distance_loss(x, y, x * y, swap=True, distance_function=lambda a, b: (a - b).sum(1))
F.triplet_margin_with_distance_loss(x, y, x[0])
F.triplet_margin_with_distance_loss(x, y, x, margin=0)
F.triplet_margin_with_distance_loss(x, y, x, reduction="x")
F.multi_margin_loss(x, tk.tensor([0, 1]), p=3)
F.multi_margin_loss(x, tk.tensor([0, 1]), weight=tk.ones(3, 1))
F.poisson_nll_loss(x, y, size_average=False)
F.kl_div(x, y, reduction="x")
F.l1_loss(x, y[0])
F.mse_loss(x, y, reduce=False)
F.hinge_embedding_loss(x, y, size_average=True)
F.cosine_embedding_loss(x, y, x)
F.multilabel_margin_loss(x, tk.tensor([[0, 1, 2]]))
"""


@pytest.mark.parity
@pytest.mark.parametrize("called", LAYERS)
def test_layers_of_losses_are_pytorchs(called: str) -> None:
    made = LAYERS[called].strip().split("\n")
    wrong = [text for one in made for text in differing(one, called, x=SCORES, y=TARGETS)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parity
def test_functions_of_losses_are_pytorchs() -> None:
    calls = FUNCTIONS.strip().split("\n")
    wrong = [text for one in calls for text in differing("None", one, x=SCORES, y=TARGETS)]
    assert not wrong, "\n".join(wrong)
