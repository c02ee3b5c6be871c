package org.stillwater.server.api.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.stillwater.server.api.web.ApiException;

class ListQueryTest {

    private static ListQuery query(
            @Nullable String sort,
            @Nullable String cursor,
            @Nullable String limit,
            @Nullable String total,
            @Nullable String since) {
        return new ListQuery(null, null, null, sort, cursor, limit, total, since);
    }

    @Test
    void changesHaveNeitherPagesNorAnOrder() {
        refused(query("-cpu", null, null, null, "7"), "sort");
        refused(query(null, "abc", null, null, "7"), "cursor");
        refused(query(null, null, "5", null, "7"), "limit");
        refused(query(null, null, null, "true", "7"), "total");
        assertThat(query(null, "", null, "false", "7").sinceRevision()).isEqualTo(7);
        assertThat(query("-cpu", "abc", "5", "true", null).sinceRevision()).isNull();
        assertThat(query("-cpu", "abc", "5", "true", " ").sinceRevision()).isNull();
    }

    private static void refused(ListQuery query, String name) {
        assertThatThrownBy(query::sinceRevision)
                .isInstanceOf(ApiException.class)
                .hasMessage(
                        "since and "
                                + name
                                + " exclude each other: changes have no pages and no order");
    }
}
