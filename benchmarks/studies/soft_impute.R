# Soft-impute along a path of penalties, for completion_contestants.py, which calls it with
# a folder of binary files, the numbers of rows and columns, and the largest rank.
# The result: the penalty, seconds (wall, cpu) of the search and of the fit, and the
# two factors.
suppressPackageStartupMessages(library(softImpute))
arguments <- commandArgs(trailingOnly = TRUE)
shape <- as.integer(arguments[2:3])
rank <- as.integer(arguments[4])

numbers <- function(name) {
  file <- file.path(arguments[1], name)
  readBin(file, "double", file.size(file) / 8)
}
incomplete <- function(entries) {
  new("Incomplete", sparseMatrix(entries[, 1], entries[, 2], x = entries[, 3], dims = shape))
}
fit <- function(x, penalty, most, start = NULL) {
  set.seed(0)
  # it warns when it stops after its 100 iterations
  suppressWarnings(softImpute(x, most, penalty, type = "als", warm.start = start))
}
seconds <- function() c(proc.time()[["elapsed"]], sum(proc.time()[1:2]))

kept <- matrix(numbers("kept"), ncol = 3)
held <- matrix(numbers("held"), ncol = 3)
all <- matrix(numbers("all"), ncol = 3)
penalties <- numbers("penalties")

began <- seconds()
x <- incomplete(kept)
errors <- c()
ranks <- c()
model <- NULL
most <- 20 # the rank may grow along the path, as in the package's vignette but faster
for (penalty in penalties) {
  model <- fit(x, penalty, min(most, rank), model)
  ranks <- c(ranks, sum(round(model$d, 4) > 0))
  most <- 2 * tail(ranks, 1) + 10
  predicted <- impute(model, held[, 1], held[, 2])
  errors <- c(errors, sqrt(mean((predicted - held[, 3])^2)))
  if (tail(errors, 1) > 1.01 * min(errors)) break # past the best
}
best <- penalties[which.min(errors)]
most <- round(1.25 * ranks[which.min(errors)]) + 10
chosen <- seconds()
model <- fit(incomplete(all), best, min(most, rank))
ended <- seconds()

# of rank one, u and v come as vectors
u <- matrix(model$u, shape[1]) %*% diag(model$d, length(model$d))
v <- matrix(model$v, shape[2])
result <- c(best, chosen - began, ended - chosen, rbind(u, v))
writeBin(as.double(result), file.path(arguments[1], "result"))
