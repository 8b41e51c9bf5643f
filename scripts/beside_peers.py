#!/usr/bin/env python3
"""Rates of goban's kernels beside programs that were built elsewhere, in turns.

  scripts/beside_peers.py --goban heat7 heat25 --threads 16 \\
      --peer 'YASK, 25 points' 'yask_kernel.exe -g 512 -bx 32 -by 32 -bz 512 ...'

A round runs the copy and every kernel of `goban bench` that is named, then every peer. What a peer
prints is searched for its rate (--rate): the last match of a number with K, M or G behind it, updates
per second. Medians of all rounds are shown, with the least and the largest.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCALES = {'': 1.0, 'K': 1e3, 'M': 1e6, 'G': 1e9}


def rates_of_goban(options):
    with tempfile.TemporaryDirectory() as folder:
        record = pathlib.Path(folder) / 'record.json'
        command = [options.bench, *options.goban, '--rounds', '1', '--threads', str(options.threads),
                   '--json', str(record)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return {name: (one['updates_per_second'], one['of_copy'])
                for name, one in json.loads(record.read_text()).items()}


def rate_of_peer(command, pattern):
    run = subprocess.run(command, shell=True, capture_output=True, text=True)
    found = re.findall(pattern, run.stdout + run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f'error: no rate in what `{command}` prints (exit code {run.returncode}); '
                 'see --rate')
    number, scale = found[-1]
    return float(number) * SCALES[scale]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--goban', nargs='+', default=['heat7', 'heat7_pass', 'heat25', 'seismic'],
                        metavar='KERNEL', help='of `goban bench`')
    parser.add_argument('--peer', nargs=2, action='append', default=[],
                        metavar=('NAME', 'COMMAND'))
    parser.add_argument('--rate', default=r'mid-throughput \(num-points/sec\): *([\d.]+)([KMG]?)',
                        help='of a peer: number and scale, the default is what YASK prints')
    parser.add_argument('--bench', default=str(ROOT / 'build/v4/bin/goban-bench'))
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--rounds', type=int, default=3)
    options = parser.parse_args()
    rates, shares = {}, {}
    for _ in range(options.rounds):
        for name, (rate, share) in rates_of_goban(options).items():
            rates.setdefault(name, []).append(rate)
            shares.setdefault(name, []).append(share)
        for name, command in options.peer:
            rates.setdefault(name, []).append(rate_of_peer(command, options.rate))
    print(f'{"":24} {"GLUP/s":>8} {"least":>8} {"largest":>8} {"of copy":>8}')
    for name, all_rates in rates.items():
        share = f'{statistics.median(shares[name]):8.3f}' if name in shares else ''
        print(f'{name:24} {statistics.median(all_rates) * 1e-9:8.3f} {min(all_rates) * 1e-9:8.3f} '
              f'{max(all_rates) * 1e-9:8.3f} {share}')


if __name__ == '__main__':
    main()
