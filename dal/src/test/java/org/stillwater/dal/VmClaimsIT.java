package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.DefinitionTaken;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.testkit.Samples;

/** Names of VMs are unique in a data centre, also where they were not when the rule came. */
class VmClaimsIT {

    private static final String NORTH = "00000000-0000-0000-0000-0000000000a1";

    private static Definition named(String name, ClusterId cluster) {
        return new Definition(
                new VmStatic(
                        name,
                        VmOrigin.OVIRT,
                        false,
                        1_024,
                        512,
                        1,
                        1,
                        1,
                        List.of(),
                        false,
                        cluster),
                VmSpecification.BARE,
                0,
                null,
                null);
    }

    @Test
    void anotherDataCentreMayHaveTheSameName() throws Exception {
        try (TestDatabase server = TestDatabase.migrated();
                Database database = server.open()) {
            server.execute(
                    "INSERT INTO data_centre (data_centre_id, name) VALUES ('%s', 'north')"
                            .formatted(NORTH),
                    "INSERT INTO cluster (cluster_id, data_centre_id, name) VALUES ('%1$s', '%1$s', 'north')"
                            .formatted(NORTH));
            ClusterId north = new ClusterId(UUID.fromString(NORTH));
            Definition here = named("one", ClusterId.DEFAULT);
            assertThat(database.definitions().add(Samples.vm(1), here)).isTrue();
            assertThat(database.definitions().add(Samples.vm(2), named("one", north))).isTrue();
            assertThatExceptionOfType(DefinitionTaken.class)
                    .as("a VM that moves here finds the name taken")
                    .isThrownBy(() -> database.definitions().update(Samples.vm(2), here))
                    .withMessageContaining("its new cluster is of the data centre ")
                    .withMessageEndingWith(", where there is already a VM one");
            assertThat(database.definitions().taken(Samples.vm(1), named("one", north)))
                    .isEqualTo(
                            "its new cluster is of the data centre north, where there is already a"
                                    + " VM one");
            assertThatExceptionOfType(SQLException.class)
                    .as("so does a cluster that is moved with its VMs")
                    .isThrownBy(() ->
                            server.execute(
                                    "UPDATE cluster SET data_centre_id ="
                                            + " '00000000-0000-0000-0000-000000000001'"));
        }
    }

    @Test
    void oneOfTwoConcurrentClaimsGetsTheName() throws Exception {
        try (TestDatabase server = TestDatabase.migrated();
                Database database = server.open();
                ExecutorService both = Executors.newFixedThreadPool(2)) {
            for (int round = 0; round < 20; round++) {
                Definition same = named("round " + round, ClusterId.DEFAULT);
                List<Callable<Boolean>> adding = new ArrayList<>();
                for (int n = 1; n <= 2; n++) {
                    int vm = 2 * round + n;
                    adding.add(() -> added(database, vm, same));
                }
                int added = 0;
                for (Future<Boolean> one : both.invokeAll(adding)) {
                    added += one.get() ? 1 : 0;
                }
                assertThat(added).isEqualTo(1);
            }
        }
    }

    private static boolean added(Database database, int vm, Definition definition)
            throws StoreUnavailable {
        try {
            return database.definitions().add(Samples.vm(vm), definition);
        } catch (DefinitionTaken _) {
            return false;
        }
    }

    @Test
    void vmsThatShareANameWhenTheRuleComesKeepIt() throws Exception {
        try (TestDatabase old = TestDatabase.empty()) {
            SchemaVersions.make(old.settings(), "public", "16");
            for (int n = 1; n <= 3; n++) {
                old.execute(
                        """
                        INSERT INTO vm_static (vm_guid, vm_name, origin, mem_size_mb, min_allocated_mem, creation_date)
                        VALUES ('%1$s', 'twin', %2$d, 1024, 512, '2026-01-0%3$d')
                        """
                                .formatted(Samples.vm(n), n == 1 ? 4 : 3, n),
                        "INSERT INTO vm_dynamic (vm_guid) VALUES ('%s')".formatted(Samples.vm(n)),
                        """
                        INSERT INTO vm_interface (id, vm_guid, name, mac_addr, speed)
                        VALUES ('%s', '%s', 'nic1', '02:00:00:00:00:AA', 1000)
                        """
                                .formatted(new UUID(9, n), Samples.vm(n)));
            }
            Database.migrate(old.settings());
            assertThat(claims(old))
                    .as("the oldest that people defined has what they share")
                    .containsExactly(
                            Samples.vm(2) + " 1 twin", Samples.vm(2) + " 2 02:00:00:00:00:aa");
            try (Database database = old.open()) {
                Definition twin =
                        database.definitions().load(List.of(Samples.vm(3))).get(Samples.vm(3));
                assertThat(database.definitions().taken(Samples.vm(3), twin)).isNull();
                assertThat(database.definitions().update(Samples.vm(3), twin))
                        .as("the other can be changed all the same")
                        .isTrue();
                Definition renamed = named("alone", ClusterId.DEFAULT);
                assertThat(database.definitions().update(Samples.vm(3), renamed)).isTrue();
                assertThatExceptionOfType(DefinitionTaken.class)
                        .as("and has it no more once it has another one")
                        .isThrownBy(() -> database.definitions().update(Samples.vm(3), twin));
            }
        }
    }

    private static List<String> claims(TestDatabase database) throws SQLException {
        List<String> found = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT vm_guid || ' ' || kind || ' ' || value FROM vm_claim ORDER"
                                        + " BY kind")) {
            while (row.next()) {
                found.add(row.getString(1));
            }
        }
        return found;
    }
}
