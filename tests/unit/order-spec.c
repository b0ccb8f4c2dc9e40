/* SPDX-License-Identifier: MIT */
/* Orders as text: what is good comes back the same, what is not is refused with a sentence that helps. */
#include "order-fixture.h"

static void same(const struct slu_order_spec *a, const struct slu_order_spec *b)
{
	T_EQ(a->mode, b->mode);
	T_EQ(a->size, b->size);
	T_EQ(a->window, b->window);
	T_STR(a->field, b->field);
}

/* @text means this, and is written as @again. */
static void good(const char *text, enum slu_order_mode mode, uint64_t size, uint64_t window, const char *field,
                 const char *again)
{
	struct slu_order_spec s, t;
	char buf[SLU_ORDER_TEXT_MAX];

	memset(&s, 0xff, sizeof(s));
	T_OK(slu_order_parse(text, &s));
	T_EQ(s.mode, mode);
	T_EQ(s.size, size);
	T_EQ(s.window, window);
	T_STR(s.field, field);
	T_STR(slu_order_format(&s, buf), again);
	T_OK(slu_order_parse(buf, &t));
	same(&s, &t);
}

static void bad(const char *text, const char *why)
{
	struct slu_order_spec s = { .size = 77 };

	T_ERR(slu_order_parse(text, &s), -EINVAL);
	T_HAS(slu_errmsg(), why);
	T_EQ(s.size, 77);
}

static void bad_spec(struct slu_order_spec s)
{
	struct slu_order_options opt = { .n = 10, .spec = s, .group = 4 };
	static struct slu_order o;

	T_ERR(slu_order_spec_check(&s), -EINVAL);
	T_ERR(slu_order_init(&o, &opt), -EINVAL);
}

int main(void)
{
	char longest[SLU_ORDER_FIELD_MAX + 64], buf[SLU_ORDER_TEXT_MAX];
	struct slu_order_spec most = { SLU_ORDER_GROUPED, UINT64_MAX, 0, "" }, s;

	good("sequential", SLU_ORDER_SEQUENTIAL, 0, 0, "", "sequential");
	good("global", SLU_ORDER_GLOBAL, 0, 0, "", "global");
	good("local", SLU_ORDER_LOCAL, 0, 0, "", "local");
	good("replacement", SLU_ORDER_REPLACEMENT, 0, 0, "", "replacement");
	good("block:1024", SLU_ORDER_BLOCK, 1024, 0, "", "block:1024");
	good("block:2K:16", SLU_ORDER_BLOCK, 2048, 0, "", "block:2048");
	good("block:2K:15", SLU_ORDER_BLOCK, 2048, 15, "", "block:2048:15");
	good("opportunistic", SLU_ORDER_OPPORTUNISTIC, 0, 0, "", "opportunistic");
	good("opportunistic:64K", SLU_ORDER_OPPORTUNISTIC, 0, 0, "", "opportunistic");
	good("opportunistic:100", SLU_ORDER_OPPORTUNISTIC, 100, 0, "", "opportunistic:100");
	good("grouped:length", SLU_ORDER_GROUPED, 0, 0, "length", "grouped:length");
	good("grouped:trace type:4096", SLU_ORDER_GROUPED, 4096, 0, "trace type", "grouped:trace type:4096");
	good("grouped:7", SLU_ORDER_GROUPED, 0, 0, "7", "grouped:7");

	bad("", "there is no order ''; there are sequential, global");
	bad("Global", "there is no order 'Global'");
	bad("globa", "there is no order");
	bad("globally", "there is no order");
	bad("global:", "global takes no parameters");
	bad("sequential:1", "sequential takes no parameters");
	bad("local:4", "local takes no parameters");
	bad("replacement:0.5", "replacement takes no parameters");
	bad("block", "block needs the size of a block, as in block:1024");
	bad("block:", "'' is not a number of samples");
	bad("block:0", "'0' is not a number of samples");
	bad("block:-1", "'-1' is not a number of samples");
	bad("block: 1", "is not a number of samples");
	bad("block:1e3", "'1e3' is not a number of samples");
	bad("block:99999999999999999999", "is not a number of samples");
	bad("block:8:0", "'0' is not a number of blocks");
	bad("block:8:", "'' is not a number of blocks");
	bad("block:8:9:10", "it is block:K or block:K:M");
	bad("opportunistic:0", "is not a number of samples");
	bad("opportunistic:65537", "at most, not 65537");
	bad("opportunistic:1:2", "it is opportunistic or opportunistic:L");
	bad("grouped", "the name of a column, as in grouped:length");
	bad("grouped:", "the name of a column");
	bad("grouped::4", "the name of a column");
	bad("grouped:a:b", "'b' is not a number of samples");
	bad("grouped:a:4:5", "it is grouped:FIELD or grouped:FIELD:G");

	memset(most.field, 'x', sizeof(most.field) - 1);
	T_OK(slu_order_parse(slu_order_format(&most, buf), &s)); /* the longest that there is comes back */
	same(&s, &most);
	snprintf(longest, sizeof(longest), "grouped:%sx", most.field);
	bad(longest, "more than 127 bytes");

	bad_spec((struct slu_order_spec){ .mode = (enum slu_order_mode)7 });
	bad_spec((struct slu_order_spec){ .mode = SLU_ORDER_BLOCK });
	bad_spec((struct slu_order_spec){ .mode = SLU_ORDER_GROUPED });
	bad_spec((struct slu_order_spec){ .mode = SLU_ORDER_GROUPED, .field = "a:b" });
	bad_spec((struct slu_order_spec){ .mode = SLU_ORDER_OPPORTUNISTIC, .size = 65537 });
	memset(most.field, 'x', sizeof(most.field)); /* no end */
	bad_spec(most);
	return 0;
}
