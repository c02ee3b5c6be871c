package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Limits of the REST answers under {@code /api/v1}.
 *
 * @param defaultPageSize entries of a list answer when the request names no limit
 * @param maxPageSize most entries of one request
 * @param maxListSize most VMs or hosts that one page of their lists may have
 * @param keptOrders sort orders of the list of VMs that are kept for the next page, about 80 bytes
 *     per VM each; the least used is dropped, 0 keeps none
 * @param maxBody largest request body; a batch of 5 000 VMs takes 200 KB
 * @param orderPatience how long a request that orders something waits until that is durable, or
 *     until the host's monitor takes it
 */
@ConfigurationProperties("stillwater.rest")
public record RestSettings(
        @DefaultValue("100") int defaultPageSize,
        @DefaultValue("1000") int maxPageSize,
        @DefaultValue("10000") int maxListSize,
        @DefaultValue("4") int keptOrders,
        @DefaultValue("1MB") DataSize maxBody,
        @DefaultValue("10s") Duration orderPatience) {

    public RestSettings {
        Checks.number("rest.max-page-size", maxPageSize, 1, 100_000);
        Checks.number("rest.default-page-size", defaultPageSize, 1, maxPageSize);
        Checks.number("rest.max-list-size", maxListSize, defaultPageSize, 100_000);
        Checks.number("rest.kept-orders", keptOrders, 0, 100);
        Checks.size("rest.max-body", maxBody, DataSize.ofKilobytes(1), DataSize.ofMegabytes(16));
        Checks.duration(
                "rest.order-patience", orderPatience, Duration.ofMillis(10), Duration.ofMinutes(5));
    }
}
