package org.stillwater.server.api.rows;

import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.QueryRecord;

/**
 * The form of a list.
 *
 * @param fields names of members, by commas
 * @param statistics whether numbers that change with every cycle are included, too
 * @param age whether every value comes with its age
 * @param sort keys by commas
 * @param cursor where the page before ended
 * @param limit entries of a page
 * @param total whether all that match are counted
 * @param since revision; the list contains only later changes
 */
public record ListQuery(
        @Parameter(
                        description =
                                "Fields by commas; those of statistics as"
                                        + " statistics.usageCpuPercent, all of them as statistics.")
                @QueryRecord.Several
                @Nullable String fields,
        @Parameter(
                        description = "Include statistics.",
                        schema = @Schema(type = "boolean", defaultValue = "false"))
                @Nullable String statistics,
        @Parameter(
                        description =
                                "Every value as {value, ageSeconds, state}; state is current, stale"
                                        + " or unknown.",
                        schema = @Schema(type = "boolean", defaultValue = "false"))
                @Nullable String age,
        @Parameter(
                        description =
                                "Up to 5 keys by commas; a minus reverses a key: -cpu,name. Any"
                                        + " field that has one value, and cpu, memory, network,"
                                        + " host, cluster. Without it, by name.",
                        // No default: clients would send it, and since excludes it.
                        schema = @Schema(type = "string"))
                @QueryRecord.Several
                @Nullable String sort,
        @Parameter(description = "The member next of the previous page.") @Nullable String cursor,
        @Parameter(schema = @Schema(type = "integer", minimum = "1")) @Nullable String limit,
        @Parameter(
                        description = "Count all that match.",
                        schema = @Schema(type = "boolean", defaultValue = "false"))
                @Nullable String total,
        @Parameter(
                        description =
                                "Only changes after this revision: the member revision of an"
                                        + " earlier answer or of the stream. Without sort, limit,"
                                        + " cursor and total, which get 400.",
                        schema = @Schema(type = "integer", format = "int64"))
                @Nullable String since)
        implements QueryRecord {

    /** Also a flag that a list does not read is true or false. */
    public ListQuery {
        boolean _ = FilterText.flag("statistics", FilterText.text(statistics));
        boolean _ = FilterText.flag("age", FilterText.text(age));
        boolean _ = FilterText.flag("total", FilterText.text(total));
    }

    boolean told(String name, @Nullable String value) {
        return FilterText.flag(name, FilterText.text(value));
    }

    public boolean hasStatistics() {
        return told("statistics", statistics);
    }

    public boolean hasAges() {
        return told("age", age);
    }

    public boolean wantsTotal() {
        return told("total", total);
    }

    public String order() {
        return FilterText.blank(sort) ? "name" : FilterText.text(sort).strip();
    }

    public int limit(int standard, int most) {
        if (FilterText.blank(limit)) {
            return standard;
        }
        try {
            int wanted = Integer.parseInt(FilterText.text(limit).strip());
            if (wanted >= 1 && wanted <= most) {
                return wanted;
            }
        } catch (NumberFormatException _) {
            // reported below
        }
        throw ApiException.badRequest("limit must be 1 to " + most);
    }

    /**
     * The revision whose later changes are wanted; null for the list itself. Changes have neither
     * pages nor an order.
     */
    public @Nullable Long sinceRevision() {
        if (FilterText.blank(since)) {
            return null;
        }
        refuseWithSince("cursor", cursor);
        refuseWithSince("limit", limit);
        refuseWithSince("sort", sort);
        refuseWithSince("total", wantsTotal() ? total : null);
        try {
            return Long.valueOf(FilterText.text(since).strip());
        } catch (NumberFormatException _) {
            throw ApiException.badRequest(
                    "since is a revision, a whole number, not \"%s\""
                            .formatted(Ids.shortened(FilterText.text(since))));
        }
    }

    private static void refuseWithSince(String name, @Nullable String value) {
        if (!FilterText.blank(value)) {
            throw ApiException.badRequest(
                    "since and %s exclude each other: changes have no pages and no order"
                            .formatted(name));
        }
    }
}
