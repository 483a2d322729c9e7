"""ImageView: a tensor as pixels, and where each number lies; the plots of several images are in `plots`."""
