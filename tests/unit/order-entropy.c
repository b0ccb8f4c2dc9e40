/* SPDX-License-Identifier: MIT */
/* The entropy that is reported is that of the outcomes, counted one by one where there are few enough. */
#include "order-fixture.h"

#include <math.h>

enum { MOST = 7, OUTCOMES = 5040 };

static struct slu_order order;
static double chance[OUTCOMES];

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9 * (1 + fabs(b));
}

static unsigned number_of(const unsigned *seq, unsigned n)
{
	unsigned number = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned smaller = 0;
		for (unsigned j = i + 1; j < n; j++)
			smaller += seq[j] < seq[i];
		number = number * (n - i) + smaller;
	}
	return number;
}

/* A sequence being made: places [from, to) of it are shuffled ideally, then @next is called with its weight. */
struct making {
	unsigned n, block, per_window; /* of block: sizes; per_window counts blocks */
	unsigned seq[MOST];
	unsigned ends[MOST + 1]; /* where the windows end */
	unsigned windows;
};

static void shuffle_windows(struct making *m, unsigned w, double weight);

static void shuffle(struct making *m, unsigned from, unsigned to, unsigned w, double weight)
{
	if (to - from <= 1) {
		shuffle_windows(m, w + 1, weight);
		return;
	}
	for (unsigned k = from; k < to; k++) {
		unsigned kept[MOST];
		memcpy(kept, m->seq, sizeof(kept));
		m->seq[from] = kept[k];
		m->seq[k] = kept[from];
		shuffle(m, from + 1, to, w, weight / (to - from));
		memcpy(m->seq, kept, sizeof(kept));
	}
}

static void shuffle_windows(struct making *m, unsigned w, double weight)
{
	if (w == m->windows)
		chance[number_of(m->seq, m->n)] += weight;
	else
		shuffle(m, w ? m->ends[w - 1] : 0, m->ends[w], w, weight);
}

/* All orders of blocks; each laid out and cut into windows. */
static void shuffle_blocks(struct making *m, unsigned *blocks, unsigned fixed, unsigned count, double weight)
{
	if (fixed == count) {
		unsigned at = 0;
		m->windows = 0;
		for (unsigned b = 0; b < count; b++) {
			for (unsigned x = blocks[b] * m->block; x < (blocks[b] + 1) * m->block && x < m->n; x++)
				m->seq[at++] = x;
			if ((b + 1) % m->per_window == 0 || b + 1 == count)
				m->ends[m->windows++] = at;
		}
		shuffle_windows(m, 0, weight);
		return;
	}
	for (unsigned k = fixed; k < count; k++) {
		unsigned kept = blocks[fixed];
		blocks[fixed] = blocks[k];
		blocks[k] = kept;
		shuffle_blocks(m, blocks, fixed + 1, count, weight / (count - fixed));
		blocks[k] = blocks[fixed];
		blocks[fixed] = kept;
	}
}

static double counted(unsigned n)
{
	double bits = 0, all = 0;

	for (unsigned i = 0; i < OUTCOMES; i++)
		if (chance[i] > 0) {
			bits -= chance[i] * log2(chance[i]);
			all += chance[i];
		}
	T_TRUE(near(all, 1));
	return bits / (lgamma(n + 1.0) / M_LN2);
}

static void check_block(unsigned n, unsigned size, unsigned per_window)
{
	struct making m = { .n = n, .block = size, .per_window = per_window };
	unsigned blocks[MOST], count = (n + size - 1) / size;
	char text[64];

	for (unsigned b = 0; b < count; b++)
		blocks[b] = b;
	memset(chance, 0, sizeof(chance));
	shuffle_blocks(&m, blocks, 0, count, 1);
	snprintf(text, sizeof(text), "block:%u:%u", size, per_window);
	make_order(&order, text, n, 1, 1, 1);
	T_TRUE(near(slu_order_entropy(&order), counted(n)));
	if (per_window == 1) {
		snprintf(text, sizeof(text), "grouped:x:%u", size);
		make_order(&order, text, n, 1, 1, 1);
		T_TRUE(near(slu_order_entropy(&order), counted(n)));
	}
}

/* The parts are fixed windows. That ranks take turns changes no chance. */
static void check_local(unsigned n, uint32_t world)
{
	struct making m = { .n = n };

	for (unsigned i = 0; i < n; i++)
		m.seq[i] = i;
	for (uint32_t r = 0; r < world; r++) {
		uint64_t first, count;
		slu_order_part(n, r, world, &first, &count);
		if (count)
			m.ends[m.windows++] = (unsigned)(first + count);
	}
	memset(chance, 0, sizeof(chance));
	shuffle_windows(&m, 0, 1);
	make_order(&order, "local", n, 1, 1, world);
	T_TRUE(near(slu_order_entropy(&order), counted(n)));
}

/* A picker over every base order of 6 with these residents gives outcomes no less random than the bound says. */
static bool is_resident(void *arg, uint64_t sample)
{
	return *(unsigned *)arg >> sample & 1;
}

static void check_resident(uint64_t lookahead, unsigned set)
{
	enum { N = 6, SEEDS = 200000 };
	static struct slu_order_picker p;
	struct slu_order_options opt = { .n = N, .spec = { .mode = SLU_ORDER_OPPORTUNISTIC, .size = lookahead } };
	struct slu_order_share s;
	double bound = slu_order_entropy_resident(N, (uint64_t)__builtin_popcount(set));

	memset(chance, 0, sizeof(chance));
	T_OK(slu_order_share(N, 0, 0, 1, 1, false, &s));
	for (opt.seed = 0; opt.seed < SEEDS; opt.seed++) {
		uint64_t got[N];
		unsigned seq[N];
		T_OK(slu_order_init(&order, &opt));
		T_OK(slu_order_picker_init(&p, &order, &s));
		for (unsigned k = 0; k < N; k++) {
			T_EQ(slu_order_pick(&p, is_resident, &set, 1, &got[k]), 1);
			seq[k] = (unsigned)got[k];
		}
		chance[number_of(seq, N)] += 1.0 / SEEDS;
	}
	double have = counted(N);
	T_TRUE(have > bound - 0.002 && have < 1.0001); /* drawn, not enumerated: slightly too small */
	if (lookahead >= N)
		T_TRUE(have < bound + 0.002);
}

static double of(const char *text, uint64_t n, uint32_t world)
{
	make_order(&order, text, n, 1, 1, world);
	return slu_order_entropy(&order);
}

static void known(void)
{
	static const char *const all[] = { "sequential",    "global",      "block:4",  "local",
		                           "opportunistic", "replacement", "grouped:x" };

	for (size_t m = 0; m < sizeof(all) / sizeof(*all); m++) {
		T_TRUE(of(all[m], 0, 4) == 1);
		T_TRUE(of(all[m], 1, 4) == 1);
		double big = of(all[m], UINT64_C(10000000000), 64);
		T_TRUE(m == 0 ? big == 0 : big > 0.1 && big < 1.1);
	}
	T_TRUE(of("sequential", 100, 1) == 0);
	T_TRUE(of("global", 100, 1) == 1);
	T_TRUE(near(of("block:100", 100, 1), 1));
	T_TRUE(near(of("block:1", 100, 1), 1));
	T_TRUE(near(of("local", 100, 1), 1));
	T_TRUE(of("local", 3, 4) == 0);
	T_TRUE(near(of("replacement", 2, 1), 2)); /* four sequences against two */
	T_TRUE(near(slu_order_entropy_resident(100, 0), 1) && near(slu_order_entropy_resident(100, 100), 1));
	T_TRUE(slu_order_entropy_resident(100, 50) < 1 && slu_order_entropy_resident(1, 1) == 1);
	T_TRUE(of("block:1024:32", 1000000, 1) > of("block:1024:16", 1000000, 1));
	T_TRUE(of("block:1024", 1000000, 1) > of("grouped:x:1024", 1000000, 1));
}

int main(void)
{
	for (unsigned n = 2; n <= MOST; n++) {
		for (unsigned size = 1; size <= n; size++)
			for (unsigned per = 1; per <= (n + size - 1) / size; per++)
				if (n < MOST || size > 1) /* 7 blocks of 1 are as 6 of 1, and take long */
					check_block(n, size, per);
		for (uint32_t world = 1; world <= 9; world++)
			check_local(n, world);
	}
	for (unsigned set = 1; set < 64; set += 9)
		for (uint64_t lookahead = 2; lookahead <= 6; lookahead += 2)
			check_resident(lookahead, set);
	known();
	return 0;
}
