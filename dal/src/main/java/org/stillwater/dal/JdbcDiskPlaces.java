package org.stillwater.dal;

import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DiskPlaces;
import org.stillwater.core.store.StoreUnavailable;

/** Storage domains of disks from definitions and devices, by one statement. Thread-safe. */
final class JdbcDiskPlaces implements DiskPlaces {

    /**
     * Devices come last, since a host knows better where a disk is that it runs. The names are
     * those of {@link SpecificationJson}.
     */
    private static final String LOAD =
            """
            SELECT s.vm_guid, (d.disk -> 'place' ->> 'image')::uuid AS image, (d.disk -> 'place' ->> 'domain')::uuid AS domain,
                   1 AS source
              FROM vm_specification AS s
             CROSS JOIN LATERAL jsonb_array_elements(s.specification -> 'disks') AS d (disk)
             WHERE s.vm_guid = ANY (?::uuid[])
               AND s.specification IS NOT NULL
               AND d.disk -> 'place' ->> 'kind' = 'volume'
             UNION ALL
            SELECT vm_id, image_id, storage_domain_id, 2
              FROM vm_device
             WHERE vm_id = ANY (?::uuid[])
               AND is_plugged
               AND image_id IS NOT NULL
             ORDER BY source
            """;

    private final Transactions transactions;

    JdbcDiskPlaces(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public Map<VmId, Map<UUID, UUID>> of(Collection<VmId> vms) throws StoreUnavailable {
        UUID[] ids = vms.stream().map(VmId::toUuid).toArray(UUID[]::new);
        return transactions.runOrUnavailable(
                SqlStage.REGRESSIONS,
                connection -> {
                    Map<VmId, Map<UUID, UUID>> found = new HashMap<>();
                    Array wanted = connection.createArrayOf("uuid", ids);
                    try (PreparedStatement statement = connection.prepareStatement(LOAD)) {
                        statement.setArray(1, wanted);
                        statement.setArray(2, wanted);
                        try (ResultSet row = statement.executeQuery()) {
                            while (row.next()) {
                                UUID image = row.getObject("image", UUID.class);
                                UUID domain = row.getObject("domain", UUID.class);
                                if (image != null && domain != null) {
                                    found.computeIfAbsent(
                                                    VmId.of(row.getObject("vm_guid", UUID.class)),
                                                    _ -> new HashMap<>())
                                            .put(image, domain);
                                }
                            }
                        }
                    }
                    return found;
                });
    }
}
