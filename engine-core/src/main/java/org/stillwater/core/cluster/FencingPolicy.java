package org.stillwater.core.cluster;

import org.jspecify.annotations.Nullable;

/**
 * When hosts of a cluster may be fenced (monitoring specification §3.6).
 *
 * @param enabled whether they may at all
 * @param mostSilentPercent not while this share of the cluster's hosts, or more, is silent, because
 *     then it is more likely the engine that is cut off, 1–100; null to fence anyway
 * @param leaseRespected whether a host that still renews its storage lease is left alone
 */
public record FencingPolicy(
        boolean enabled, @Nullable Integer mostSilentPercent, boolean leaseRespected) {

    /** Fences without regard to other hosts. */
    public static final FencingPolicy DEFAULT = new FencingPolicy(true, null, false);

    public FencingPolicy {
        if (mostSilentPercent != null && (mostSilentPercent < 1 || mostSilentPercent > 100)) {
            throw new IllegalArgumentException(
                    "a share of silent hosts is 1 to 100 %, not " + mostSilentPercent);
        }
    }
}
