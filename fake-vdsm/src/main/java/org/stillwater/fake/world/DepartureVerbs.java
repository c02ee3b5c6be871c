package org.stillwater.fake.world;

import java.util.Locale;
import org.stillwater.fake.net.JsonBody;
import tools.jackson.databind.JsonNode;

/**
 * The verbs that take a VM off its host: migration and hibernation. As with VDSM they answer when
 * the order is accepted; later failures are reported by events and by the migration status.
 */
final class DepartureVerbs {

    private final HostVerbs verbs;
    private final World world;
    private final FakeHost host;

    DepartureVerbs(HostVerbs verbs, World world, FakeHost host) {
        this.verbs = verbs;
        this.world = world;
        this.host = host;
    }

    JsonBody migrate(Arguments arguments) {
        JsonNode params = arguments.required("params");
        if (text(params, "mode").equals("file")) {
            return save(arguments, text(params, "hiberVolHandle"));
        }
        FakeHost target = world.hostByAddress(text(params, "dst"));
        verbs.change(
                arguments,
                (life, domain) -> {
                    requireReady(domain);
                    life.departures()
                            .migrate(
                                    domain,
                                    target,
                                    limit(params, "outgoingLimit"),
                                    limit(params, "incomingLimit"));
                });
        return JsonBody.TRUE;
    }

    JsonBody hibernate(Arguments arguments) {
        return save(arguments, arguments.text("hibernationVolHandle"));
    }

    private JsonBody save(Arguments arguments, String handle) {
        verbs.change(
                arguments,
                (life, domain) -> {
                    VolumeAddress.Pair volumes = VolumeAddress.Pair.ofHandle(handle);
                    requireReady(domain);
                    life.departures().hibernate(domain, volumes);
                });
        return JsonBody.TRUE;
    }

    /** To VDSM a VM that starts, or is down, does not exist. */
    private static void requireReady(Domain domain) {
        if (domain.isLeaving()) {
            throw VdsmError.MIGRATION_IN_PROGRESS.about("vmId", domain.machine.idText);
        }
        if (domain.phase == Phase.WAIT_FOR_LAUNCH || domain.isDown()) {
            throw VdsmError.NO_SUCH_VM.error();
        }
    }

    JsonBody cancel(Arguments arguments) {
        verbs.change(arguments, (life, domain) -> life.departures().cancel(domain));
        return JsonBody.TRUE;
    }

    JsonBody status(Arguments arguments) {
        String vmId = arguments.text("vmID");
        synchronized (host) {
            Domain domain = host.domain(vmId.toLowerCase(Locale.ROOT));
            if (domain == null) {
                throw VdsmError.NO_SUCH_VM.error(); // without an id, unlike elsewhere
            }
            JsonOut out = new JsonOut(160);
            Departure departure = domain.departure;
            if (departure == null) {
                Departure.writeNone(out);
            } else {
                Migration migration = domain.migration;
                boolean leaving = migration != null && migration.departure == departure;
                departure.write(out, host.moment().now(), leaving ? migration : null);
            }
            return out.body();
        }
    }

    private static long limit(JsonNode params, String name) {
        JsonNode limit = params.get(name);
        return limit == null ? 0 : Math.max(0, limit.asLong(0));
    }

    private static String text(JsonNode params, String name) {
        JsonNode value = params.get(name);
        return value == null || value.isNull() ? "" : value.asString();
    }
}
