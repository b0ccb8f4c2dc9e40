#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Trains a small network on CIFAR-10, or on any folder of classes of JPEG images, on the CPU.

Three ways to the same training:

    train_cifar10.py --data data/train --test data/test             torchvision's ImageFolder, on files
    sluice run train.slu:data/train test.slu:data/test -- \\
        train_cifar10.py --data data/train --test data/test         the same, on packs: nothing is changed
    train_cifar10.py --pack train.slu --test test.slu               Sluice's own loader

The packs are made by `sluice pack data/train -o train.slu --labels dir`, and likewise for test.

Each epoch tells how much of its time was spent waiting for data: inside of next(), over all. The first two ways see the
same images in the same order; the loader has an order, and flips, of its own.

Under `sluice trace -- train_cifar10.py ...`, and with the Python package at hand, epochs, waits and steps are recorded
beside the file calls, and `sluice report` tells what the waits were for.
"""
import argparse
import json
import os
import sys
import time
from collections import namedtuple
from itertools import islice

import torch
from torch import nn
from torch.utils.data import DataLoader, RandomSampler

try:
    from sluice import watch    # marks epochs, waits and steps for `sluice trace`
except ImportError:
    def watch(batches, epoch=None, step=None):
        return batches

SIZE = 32   # of the images; others are stretched
MEAN, STD = (0.491, 0.482, 0.447), (0.247, 0.243, 0.262)

# classes: their names; steps: batches of an epoch; train(epoch), test: (images, labels), batch by batch
Data = namedtuple("Data", "classes steps train test")


def from_files(arg):
    """ImageFolder and DataLoader, as scripts have them. Nothing here knows of Sluice."""
    from torchvision import transforms
    from torchvision.datasets import ImageFolder

    pixels = [transforms.Resize((SIZE, SIZE)), transforms.ToTensor(), transforms.Normalize(MEAN, STD)]
    train = ImageFolder(arg.data, transforms.Compose([transforms.RandomHorizontalFlip()] + pixels))
    test = ImageFolder(arg.test, transforms.Compose(pixels))
    same_classes(train.classes, test.classes)
    random = torch.Generator().manual_seed(arg.seed)
    steps = steps_of(arg, len(train))
    sampler = RandomSampler(train, num_samples=steps * arg.batch, generator=random)
    loader = DataLoader(train, arg.batch, sampler=sampler, num_workers=arg.workers, generator=random)
    return Data(train.classes, steps, lambda epoch: loader, DataLoader(test, arg.batch, num_workers=arg.workers))


def from_packs(arg):
    """Sluice's loader: its threads read, decode and flip ahead of time."""
    import sluice
    from sluice.torch import Loader

    train, test = sluice.open(arg.pack), sluice.open(arg.test)
    if train.labels is None:
        sys.exit("%s: has no labels; pack it with --labels dir" % arg.pack)
    same_classes(train.label_names, test.label_names)
    pixels = {"size": SIZE, "dtype": "float32", "mean": MEAN, "std": STD}
    threads = max(1, arg.workers)
    loader = Loader(train, arg.batch, shuffle="global", seed=arg.seed, threads=threads,
                    decode=sluice.Jpeg(flip=True, **pixels))
    steps = steps_of(arg, len(train))

    def batches(epoch):
        loader.set_epoch(epoch)     # an epoch that was left early, by --limit, would be begun anew
        return islice(loader, steps)

    return Data(train.label_names, steps, batches, Loader(test, arg.batch, threads=threads, decode=sluice.Jpeg(**pixels)))


def same_classes(train, test):
    if list(train) != list(test):
        sys.exit("the classes differ: %s to train, %s to test" % (", ".join(train), ", ".join(test)))


def steps_of(arg, samples):
    steps = min(arg.limit or samples, samples) // arg.batch
    return steps or sys.exit("%d samples do not fill a batch of %d" % (min(arg.limit or samples, samples), arg.batch))


class Waiting:
    """Goes through batches, and adds up the time until each is there."""

    def __init__(self, batches):
        self.batches = batches
        self.seconds = 0.0

    def __iter__(self):
        start = time.perf_counter()
        it = iter(self.batches)     # a DataLoader starts its workers here
        while True:
            batch = next(it, None)
            self.seconds += time.perf_counter() - start
            if batch is None:
                return
            yield batch
            start = time.perf_counter()


def network(classes):
    def stage(before, after):
        return [nn.Conv2d(before, after, 3, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU(), nn.MaxPool2d(2)]

    return nn.Sequential(*stage(3, 16), *stage(16, 32), *stage(32, 64), nn.Flatten(),
                         nn.Linear(64 * (SIZE // 8) ** 2, classes))


def train_epoch(model, optimizer, schedule, batches, epoch):
    """How well it went, and where the time was spent."""
    model.train()
    loss_sum, samples = 0.0, 0
    waiting = Waiting(watch(batches, epoch))
    start = time.perf_counter()
    for images, labels in waiting:
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        loss_sum += loss.item() * len(labels)
        samples += len(labels)
    seconds = time.perf_counter() - start
    return {"loss": loss_sum / samples, "samples": samples, "seconds": seconds, "waited": waiting.seconds}


@torch.no_grad()
def accuracy(model, batches):
    model.eval()
    right = total = 0
    for images, labels in watch(batches, step="test-step"):
        right += int((model(images).argmax(1) == labels).sum())
        total += len(labels)
    return right / total


def train(arg, tell):
    """A result for each epoch, each one told when it is there."""
    data = from_packs(arg) if arg.pack else from_files(arg)
    torch.manual_seed(arg.seed)
    model = network(len(data.classes))
    optimizer = torch.optim.Adam(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.005, total_steps=arg.epochs * data.steps)
    results = []
    for epoch in range(arg.epochs):
        result = train_epoch(model, optimizer, schedule, data.train(epoch), epoch)
        result["accuracy"] = accuracy(model, data.test)
        tell("epoch %d: loss %.3f, accuracy %.3f, %.0f samples/s, waited for data %.1f%% of the time" % (
            epoch, result["loss"], result["accuracy"], result["samples"] / result["seconds"],
            100 * result["waited"] / result["seconds"]))
        results.append(result)
    return results


def arguments():
    ap = argparse.ArgumentParser(description="Trains a small network on the CPU: on files, or on a pack.")
    source = ap.add_mutually_exclusive_group(required=True)
    source.add_argument("--data", metavar="DIR", help="a folder for each class, to train on")
    source.add_argument("--pack", metavar="PACK", help="a pack of such a folder, made with --labels dir")
    ap.add_argument("--test", metavar="DIR|PACK", required=True, help="likewise, to measure the accuracy with")
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--limit", type=int, metavar="N", help="train on N samples an epoch, others in each")
    ap.add_argument("--workers", type=int, default=2, help="processes of DataLoader's, threads of Sluice's (2)")
    ap.add_argument("--batch", type=int, default=128, help="samples in a batch (128)")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--json", action="store_true", help="print one JSON object, at the end")
    return ap.parse_args()


def main():
    arg = arguments()
    # Only to say which it was: the program does the same on files and under sluice run.
    way = "native" if arg.pack else "run" if "SLUICE_MOUNTS" in os.environ else "files"
    epochs = train(arg, (lambda line: None) if arg.json else lambda line: print(line, flush=True))
    seconds = sum(e["seconds"] for e in epochs)
    result = {
        "way": way,
        "accuracy": epochs[-1]["accuracy"],
        "wait": sum(e["waited"] for e in epochs) / seconds,
        "samples_per_second": sum(e["samples"] for e in epochs) / seconds,
    }
    if arg.json:
        print(json.dumps(dict(result, epochs=epochs)))
    else:
        print("way=%s accuracy=%.4f wait=%.2f%% samples/s=%.0f" % (
            way, result["accuracy"], 100 * result["wait"], result["samples_per_second"]))


if __name__ == "__main__":
    main()
