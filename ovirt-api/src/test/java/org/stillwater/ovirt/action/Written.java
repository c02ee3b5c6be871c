package org.stillwater.ovirt.action;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.monitoring.vm.VmView;
import tools.jackson.databind.JsonNode;

/** Definitions as bodies change them, for tests of other packages. */
public final class Written {

    /** The vNIC profile of the network "blue". */
    static final UUID PROFILE = new UUID(7, 2);

    /** A storage domain that is not there. */
    static final UUID NO_DOMAIN = new UUID(7, 3);

    private Written() {}

    /** Makes MAC addresses; nothing else is asked of the server here. */
    static final class Desk implements DefinitionServices {
        @Override
        public String text(Definition definition) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String nextMac() {
            return "56:6f:1a:00:00:77";
        }

        @Override
        public @Nullable VmView owner(VmId vm, String mac, ClusterId cluster) {
            throw new UnsupportedOperationException();
        }
    }

    /** A VM whose definition a body changes; its pool is not stateless. */
    public static Definition over(String body, Definition before) {
        return new VmDefinitions(new Desk()).over(Bodies.of(body), before, standing());
    }

    /** A VM that a body adds. */
    static Definition added(String body) {
        return new VmDefinitions(new Desk()).read(Bodies.of(body), ClusterId.DEFAULT, standing());
    }

    private static VmDefinitions.Standing standing() {
        return new VmDefinitions.Standing(
                "X86_64", false, "web-01.example", Written::connection, Written::requireDomain);
    }

    private static void requireDomain(UUID id) {
        if (id.equals(NO_DOMAIN)) {
            throw Refused.notFound("StorageDomain", id.toString());
        }
    }

    /** There is one vNIC profile, {@link #PROFILE}, of the network "blue". */
    private static NicChanges.@Nullable Connection connection(Body nic) {
        String profile = nic.text("vnic_profile", "id");
        if (profile == null) {
            return null;
        }
        if (!profile.equals(PROFILE.toString())) {
            throw Refused.notFound("VnicProfile", profile);
        }
        return new NicChanges.Connection(PROFILE, "blue");
    }

    /** A table by its subject. */
    public static BodyRules table(String subject) {
        List<BodyRules> found =
                WritableBodies.all().stream()
                        .filter(each -> each.subject().equals(subject))
                        .toList();
        return found.getFirst();
    }

    /** Checks a body over an entity with this form in the API. */
    public static void check(BodyRules table, String body, JsonNode told) {
        Body _ = table.read(Bodies.of(body), "write", new CurrentValues(() -> told));
    }

    /** Checks a body of an entity or action. */
    public static void check(BodyRules table, String body) {
        Body _ = table.read(Bodies.of(body));
    }
}
