package org.stillwater.fake.xapi.world;

import java.time.Duration;
import java.util.Locale;
import org.stillwater.fake.xapi.model.Datamodel;
import org.stillwater.fake.xapi.model.Datamodel.Release;

/**
 * The behaviour of a pool, independent of its objects.
 *
 * @param era the age of its servers
 * @param realBatching whether {@code event.from} gathers changes as servers of that age do
 * @param operation duration of a start, in simulated time; other operations take a share of it
 * @param agent time from a start to the guest agent's first report, in simulated time
 */
public record PoolSettings(Era era, boolean realBatching, Duration operation, Duration agent) {

    /** The format of {@code rrd_updates} by age of the server. */
    public enum RrdDialect {
        /** XML and a text that is nearly JSON. */
        LEGACY,
        /** JSON with the rows inside {@code meta}. */
        NESTED,
        /** JSON with the rows beside it. */
        CURRENT
    }

    /** The behaviour of {@code /json} by age of the server. */
    public enum JsonUrl {
        JSON_IN_XML,
        PLAIN_XML
    }

    /** The behaviour of {@code /jsonrpc} by age of the server. */
    public enum JsonRpcUrl {
        /** As at every other URL: by the XML handler. */
        ABSENT,
        /** Version 1 with id 0, in the old notation. */
        OLD,
        PRESENT
    }

    /** Ages of servers. */
    public enum Era {
        /** XenServer 6: XML-RPC and JSON inside it. */
        Y2013(
                Release.MAY_2024,
                Events.Batching.FIXED,
                JsonUrl.JSON_IN_XML,
                JsonRpcUrl.ABSENT,
                RrdDialect.LEGACY,
                true),
        /** XenServer 7.0 to 7.2. */
        Y2016(
                Release.MAY_2024,
                Events.Batching.FIXED,
                JsonUrl.JSON_IN_XML,
                JsonRpcUrl.OLD,
                RrdDialect.LEGACY,
                false),
        /** August 2017 to August 2023. */
        Y2018(
                Release.MAY_2024,
                Events.Batching.FIXED,
                JsonUrl.PLAIN_XML,
                JsonRpcUrl.PRESENT,
                RrdDialect.LEGACY,
                false),
        /** August 2023 to February 2024. */
        Y2023(
                Release.MAY_2024,
                Events.Batching.FIXED,
                JsonUrl.PLAIN_XML,
                JsonRpcUrl.PRESENT,
                RrdDialect.NESTED,
                false),
        /** 25.5 to 26.9. */
        Y2025(
                Release.MAY_2024,
                Events.Batching.GROWING,
                JsonUrl.PLAIN_XML,
                JsonRpcUrl.PRESENT,
                RrdDialect.CURRENT,
                false),
        /** 26.17. */
        TODAY(
                Release.AUGUST_2026,
                Events.Batching.DELAYED,
                JsonUrl.PLAIN_XML,
                JsonRpcUrl.PRESENT,
                RrdDialect.CURRENT,
                false);

        private final Release release;
        private final Events.Batching batching;
        private final JsonUrl jsonUrl;
        private final JsonRpcUrl jsonRpcUrl;
        private final RrdDialect rrd;
        private final boolean oldXml;

        Era(
                Release release,
                Events.Batching batching,
                JsonUrl jsonUrl,
                JsonRpcUrl jsonRpcUrl,
                RrdDialect rrd,
                boolean oldXml) {
            this.release = release;
            this.batching = batching;
            this.jsonUrl = jsonUrl;
            this.jsonRpcUrl = jsonRpcUrl;
            this.rrd = rrd;
            this.oldXml = oldXml;
        }

        /** The behaviour of {@code POST /json}. */
        public JsonUrl jsonUrl() {
            return jsonUrl;
        }

        /** The behaviour of {@code POST /jsonrpc}. */
        public JsonRpcUrl jsonRpcUrl() {
            return jsonRpcUrl;
        }

        /** The notation of metrics. */
        public RrdDialect rrd() {
            return rrd;
        }

        /** Whether XML has the codec's defect from before July 2015. */
        public boolean oldXml() {
            return oldXml;
        }

        /** As options spell it: {@code 2013} … {@code today}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace("y2", "2");
        }

        /** The age that options spell so. */
        public static Era of(String word) {
            for (Era each : values()) {
                if (each.word().equals(word)) {
                    return each;
                }
            }
            throw new IllegalArgumentException(
                    "no age of servers '"
                            + word
                            + "'; there are 2013, 2016, 2018, 2023, 2025 and today");
        }
    }

    /** Servers of today without batching; operations take two simulated seconds. */
    public static PoolSettings today() {
        return new PoolSettings(Era.TODAY, false, Duration.ofSeconds(2), Duration.ofSeconds(5));
    }

    /** The same with servers of another age. */
    public PoolSettings with(Era other) {
        return new PoolSettings(other, realBatching, operation, agent);
    }

    Datamodel datamodel() {
        return Datamodel.of(era.release);
    }

    Events.Batching batching(boolean real) {
        return real ? era.batching : Events.Batching.NONE;
    }
}
