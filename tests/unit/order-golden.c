/* SPDX-License-Identifier: MIT */
/*
 * Orders as they were drawn by version 1. These vectors never change: a job that was stopped goes on in the order it
 * began. A new version adds its own. For each: the first eight samples, and the hash of up to 5,000, as
 * little-endian 64-bit integers, from position 0 on in steps of n / 5000, at least 1.
 */
#include <assert.h>

#include "base/hash.h"
#include "base/le.h"
#include "order-fixture.h"

static_assert(SLU_ORDER_VERSION == 1, "a new version needs vectors of its own, beside these");

enum { DIGEST = 5000 };

struct golden {
	const char *text;
	uint64_t n, seed, epoch;
	uint32_t world;
	uint64_t first[8];
	uint64_t digest;
};

static const struct golden golden[] = {
	{ "sequential", 1000, 1, 1, 8, { 0, 1, 2, 3, 4, 5, 6, 7 }, UINT64_C(0x29462356e2d9061a) },
	{ "global", 10, 0, 0, 1, { 1, 4, 8, 2, 7, 0, 3, 6 }, UINT64_C(0x48d6045aa9877977) },
	{ "global", 33, 1, 0, 2, { 3, 0, 16, 11, 8, 29, 12, 5 }, UINT64_C(0x74cf4b590fd64d45) },
	{ "global", 1000, 1, 1, 8, { 349, 268, 772, 990, 608, 949, 415, 178 }, UINT64_C(0x6ab8025e8d582b28) },
	{ "global", 4096, 7, 3, 8, { 3694, 3175, 2837, 3894, 61, 3922, 3279, 4012 }, UINT64_C(0x8b0fcc4451884b6c) },
	{ "global", 4097, 7, 3, 8, { 2522, 1486, 749, 2248, 543, 399, 3395, 987 }, UINT64_C(0x53e12c81d9d190f1) },
	{ "global",
	  60000,
	  UINT64_MAX,
	  2,
	  6,
	  { 37424, 49863, 20009, 15897, 38692, 27173, 41175, 50853 },
	  UINT64_C(0xdf0d601012eb1c56) },
	{ "global",
	  UINT64_C(10000000000),
	  42,
	  UINT64_MAX,
	  64,
	  { 9281846018, 7368054527, 7132774630, 8765439315, 7351614583, 8257154063, 1950292965, 7149769521 },
	  UINT64_C(0xca833b40afee8d71) },
	{ "block:8", 10, 0, 0, 1, { 4, 5, 0, 1, 9, 3, 6, 8 }, UINT64_C(0x6857bd186f22effc) },
	{ "block:8", 33, 1, 0, 2, { 5, 19, 14, 11, 30, 22, 3, 4 }, UINT64_C(0x3567a1a041aebaa5) },
	{ "block:8", 1000, 1, 1, 8, { 491, 604, 482, 660, 122, 601, 690, 603 }, UINT64_C(0xaff0e98c8f9a4fc3) },
	{ "block:8", 4096, 7, 3, 8, { 795, 3626, 3148, 3536, 3744, 2092, 792, 3893 }, UINT64_C(0xaa50d3b362cf1e45) },
	{ "block:8", 4097, 7, 3, 8, { 795, 3626, 3148, 3536, 3744, 2092, 792, 3893 }, UINT64_C(0x46c24eddfc237603) },
	{ "block:8",
	  60000,
	  UINT64_MAX,
	  2,
	  6,
	  { 39694, 59781, 12159, 21768, 43428, 49683, 11003, 57564 },
	  UINT64_C(0x51aab9701aebabca) },
	{ "block:8",
	  UINT64_C(10000000000),
	  42,
	  UINT64_MAX,
	  64,
	  { 7629582918, 3830696278, 1464894344, 3427952245, 1946927330, 9586900765, 1464894348, 2591770209 },
	  UINT64_C(0x13aeab78da3aa549) },
	{ "block:64:3", 10, 0, 0, 1, { 4, 5, 0, 1, 9, 3, 6, 8 }, UINT64_C(0x6857bd186f22effc) },
	{ "block:64:3", 33, 1, 0, 2, { 5, 27, 22, 19, 14, 30, 3, 4 }, UINT64_C(0x19cd1d1a63939f8b) },
	{ "block:64:3", 1000, 1, 1, 8, { 137, 692, 404, 189, 185, 420, 151, 186 }, UINT64_C(0x243713da32970333) },
	{ "block:64:3", 4096, 7, 3, 8, { 3061, 650, 3055, 3049, 690, 3060, 3299, 3012 }, UINT64_C(0xa14e9a1a9d0096a1) },
	{ "block:64:3", 4097, 7, 3, 8, { 3061, 650, 3055, 3049, 690, 3060, 3299, 3012 }, UINT64_C(0x3073c1d9a90a333d) },
	{ "block:64:3",
	  60000,
	  UINT64_MAX,
	  2,
	  6,
	  { 19082, 35229, 53701, 53747, 35222, 35245, 19106, 35244 },
	  UINT64_C(0xed8333ab5377d70a) },
	{ "block:64:3",
	  UINT64_C(10000000000),
	  42,
	  UINT64_MAX,
	  64,
	  { 4184557492, 4184557479, 4184557497, 4184557489, 4184557494, 663931765, 2020068172, 663931713 },
	  UINT64_C(0x1d693b0232447807) },
	{ "local", 10, 0, 0, 1, { 4, 7, 5, 0, 2, 6, 8, 1 }, UINT64_C(0x6519eb2f9eace513) },
	{ "local", 33, 1, 0, 2, { 0, 30, 4, 18, 16, 25, 9, 27 }, UINT64_C(0x111d28f9cfd2b6c9) },
	{ "local", 1000, 1, 1, 8, { 42, 221, 311, 484, 610, 633, 856, 989 }, UINT64_C(0x7ea86af24f3d6b51) },
	{ "local", 4096, 7, 3, 8, { 305, 514, 1104, 1775, 2493, 2862, 3119, 4052 }, UINT64_C(0xc789d50ad35b7c31) },
	{ "local", 4097, 7, 3, 8, { 329, 515, 1105, 1776, 2494, 2863, 3120, 4053 }, UINT64_C(0xc43d16c19673e0f2) },
	{ "local",
	  60000,
	  UINT64_MAX,
	  2,
	  6,
	  { 707, 11561, 29103, 36373, 48624, 59617, 469, 17901 },
	  UINT64_C(0x23e40cc1b90b6ad4) },
	{ "local",
	  UINT64_C(10000000000),
	  42,
	  UINT64_MAX,
	  64,
	  { 37164657, 249361548, 422184304, 489134751, 638266178, 920789313, 1030049533, 1137052345 },
	  UINT64_C(0xdd7584e2a15cbc9d) },
	{ "opportunistic", 1000, 1, 1, 8, { 349, 268, 772, 990, 608, 949, 415, 178 }, UINT64_C(0x6ab8025e8d582b28) },
	{ "replacement", 10, 0, 0, 1, { 1, 7, 0, 8, 6, 5, 1, 0 }, UINT64_C(0x1ce714a31920438d) },
	{ "replacement", 33, 1, 0, 2, { 12, 0, 15, 26, 31, 8, 25, 22 }, UINT64_C(0xb8b9d2e79770b1e6) },
	{ "replacement", 1000, 1, 1, 8, { 321, 435, 161, 626, 456, 191, 406, 381 }, UINT64_C(0x898db689192204b0) },
	{ "replacement",
	  4096,
	  7,
	  3,
	  8,
	  { 1247, 2002, 1459, 365, 3142, 2355, 3155, 3001 },
	  UINT64_C(0x29381d56526627a) },
	{ "replacement",
	  4097,
	  7,
	  3,
	  8,
	  { 1247, 2002, 1459, 365, 3143, 2355, 3156, 3001 },
	  UINT64_C(0x35d62888a429b671) },
	{ "replacement",
	  60000,
	  UINT64_MAX,
	  2,
	  6,
	  { 2966, 17717, 53506, 29285, 41691, 59447, 51275, 13975 },
	  UINT64_C(0xbe24bf73fb4a721d) },
	{ "replacement",
	  UINT64_C(10000000000),
	  42,
	  UINT64_MAX,
	  64,
	  { 2499205764, 9230809696, 3495448991, 1356217362, 5538375474, 6218558019, 9299104902, 7365794975 },
	  UINT64_C(0x212b2de8f674a360) },
	{ "grouped:x:8", 10, 0, 0, 1, { 5, 2, 4, 3, 0, 1, 6, 7 }, UINT64_C(0x2daa5d95c84f77b1) },
	{ "grouped:x:8", 33, 1, 0, 2, { 1, 0, 3, 2, 4, 6, 7, 5 }, UINT64_C(0xb49d1977adabf0d2) },
	{ "grouped:x:8", 1000, 1, 1, 8, { 252, 250, 254, 255, 253, 249, 251, 248 }, UINT64_C(0x6cc890846e909f7c) },
	{ "grouped:x:8",
	  4096,
	  7,
	  3,
	  8,
	  { 2364, 2367, 2363, 2360, 2365, 2362, 2361, 2366 },
	  UINT64_C(0xab97cb3b816ba53c) },
	{ "grouped:x:8",
	  4097,
	  7,
	  3,
	  8,
	  { 2364, 2367, 2363, 2360, 2365, 2362, 2361, 2366 },
	  UINT64_C(0xd970388a06903f9f) },
	{ "grouped:x:8",
	  60000,
	  UINT64_MAX,
	  2,
	  6,
	  { 16340, 16339, 16337, 16336, 16342, 16343, 16341, 16338 },
	  UINT64_C(0x9048317ec58c12f7) },
	{ "grouped:x:8",
	  UINT64_C(10000000000),
	  42,
	  UINT64_MAX,
	  64,
	  { 5569243437, 5569243438, 5569243436, 5569243435, 5569243434, 5569243439, 5569243433, 5569243432 },
	  UINT64_C(0x43f08bde8ccbb5c2) },
	{ "grouped:x:1000", 10, 0, 0, 1, { 5, 2, 4, 3, 0, 1, 6, 8 }, UINT64_C(0x1ae52f96fe68ac48) },
	{ "grouped:x:1000", 33, 1, 0, 2, { 24, 14, 11, 30, 27, 12, 19, 25 }, UINT64_C(0x60865257b3d99e08) },
	{ "grouped:x:1000", 1000, 1, 1, 8, { 562, 787, 969, 719, 251, 886, 827, 956 }, UINT64_C(0x3ce0a2e6979c88c4) },
	{ "grouped:x:1000",
	  4096,
	  7,
	  3,
	  8,
	  { 1351, 1826, 1945, 1125, 1381, 1033, 1194, 1910 },
	  UINT64_C(0xeccd998149a5479a) },
	{ "grouped:x:1000",
	  4097,
	  7,
	  3,
	  8,
	  { 1351, 1826, 1945, 1125, 1381, 1033, 1194, 1910 },
	  UINT64_C(0xae5727a30c1c762b) },
	{ "grouped:x:1000",
	  60000,
	  UINT64_MAX,
	  2,
	  6,
	  { 53569, 53417, 53350, 53362, 53783, 53457, 53729, 53395 },
	  UINT64_C(0x8634008a821f498b) },
	{ "grouped:x:1000",
	  UINT64_C(10000000000),
	  42,
	  UINT64_MAX,
	  64,
	  { 563642944, 563642684, 563642656, 563642580, 563642310, 563642293, 563642402, 563642522 },
	  UINT64_C(0x4887db16f28c65ba) },
};

static struct slu_order order;

static uint64_t digest_of(uint64_t n)
{
	static uint8_t bytes[DIGEST * 8];
	uint64_t step = n / DIGEST ? n / DIGEST : 1, k = 0;

	for (; k < DIGEST && k * step < n; k++)
		slu_put64(bytes + 8 * k, slu_order_at(&order, k * step));
	return slu_hash64(bytes, 8 * k);
}

static void check(const struct golden *g)
{
	make_order(&order, g->text, g->n, g->seed, g->epoch, g->world);
	for (uint64_t p = 0; p < 8; p++)
		if (slu_order_at(&order, p) != g->first[p])
			T_FAIL("%s of %" PRIu64 ": position %" PRIu64 " is %" PRIu64 ", not %" PRIu64, g->text, g->n, p,
			       slu_order_at(&order, p), g->first[p]);
	if (digest_of(g->n) != g->digest)
		T_FAIL("%s of %" PRIu64 ": the digest is %" PRIx64 ", not %" PRIx64, g->text, g->n, digest_of(g->n),
		       g->digest);
}

/* The state of a picker, which stays with checkpoints. Of three samples, one is resident. */
static bool third(void *arg, uint64_t sample)
{
	return sample % 3 == 0;
}

static void check_state(void)
{
	static struct slu_order_picker p;
	uint8_t bytes[SLU_ORDER_STATE_MAX];
	struct slu_order_share s;
	uint64_t got[40];

	make_order(&order, "opportunistic:100", 10000, 1, 2, 4);
	T_OK(slu_order_share(10000, 1000, 3, 4, 8, false, &s));
	T_OK(slu_order_picker_init(&p, &order, &s));
	T_EQ(slu_order_pick(&p, third, NULL, 40, got), 40);
	T_EQ(slu_order_picker_save(&p, bytes), 93);
	if (slu_hash64(bytes, 93) != UINT64_C(0x1b4f4f34b30f82d4))
		T_FAIL("the state's hash is %" PRIx64, slu_hash64(bytes, 93));
}

int main(void)
{
	for (size_t k = 0; k < sizeof(golden) / sizeof(*golden); k++)
		check(&golden[k]);
	check_state();
	return 0;
}
