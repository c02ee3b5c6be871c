package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Every message against the recorded samples: fields, order, types. */
class ReportShapeTest {

    private final Lab lab = Lab.of(1, 40);

    @Test
    @DisplayName("8b.33/8b.34 VM records have the fields, order and types of the samples")
    void vmRecordsLookLikeTheSamples() {
        JsonNode ours = lab.result(0, "Host.getAllVmStats");
        JsonNode theirs = Lab.sample("host_getAllVmStats").get("result");
        assertSameTypes(ours, theirs);
        List<String> order = Shape.keys(theirs.get(0));
        order.add(order.indexOf("hash") + 1, "tpmHash");
        for (JsonNode vm : ours) {
            List<String> expected = new ArrayList<>(order);
            expected.retainAll(Shape.keys(vm));
            assertThat(Shape.keys(vm)).isEqualTo(expected);
            vm.get("disks")
                    .forEach(disk ->
                            assertThat(Shape.keys(disk))
                                    .startsWith(
                                            Shape.keys(theirs.get(0).get("disks").get("sdc"))
                                                    .toArray(String[]::new)));
        }
    }

    @Test
    @DisplayName("8b.33 a host's statistics have the fields, order and types of the sample")
    void hostStatisticsLookLikeTheSample() {
        JsonNode ours = lab.result(0, "Host.getStats");
        JsonNode theirs = Lab.sample("host_getStats").get("result");
        assertSameTypes(ours, theirs);
        assertThat(Shape.keys(ours)).isEqualTo(Shape.keys(theirs));
        assertThat(Shape.keys(ours.get("network").get("lo")))
                .isEqualTo(Shape.keys(theirs.get("network").get("lo")));
    }

    @Test
    @DisplayName("8b.33 capabilities have the fields, order and types of the sample")
    void capabilitiesLookLikeTheSample() {
        JsonNode ours = lab.result(0, "Host.getCapabilities");
        JsonNode theirs = Lab.sample("host_getCapabilities").get("result");
        assertSameTypes(ours, theirs);
        assertThat(Shape.keys(ours)).isEqualTo(Shape.keys(theirs));
    }

    @Test
    @DisplayName("8b.33 hardware information is six strings")
    void hardwareInformationLooksLikeTheSample() {
        JsonNode ours = lab.result(0, "Host.getHardwareInfo");
        assertThat(Shape.of(ours))
                .isEqualTo(Shape.of(Lab.sample("host_getHardwareInfo").get("result")));
        assertThat(ours.get("systemUUID"))
                .isEqualTo(lab.result(0, "Host.getCapabilities").get("uuid"));
    }

    @Test
    @DisplayName("8b.33 the separators are VDSM's")
    void separatorsAreThoseOfVdsm() {
        String text = lab.ask(0, "Host.getAllVmStats", "{}").text();
        assertThat(text).startsWith("[{\"statusTime\": \"").doesNotContain("\":\"", ",\"", ",{");
    }

    @Test
    @DisplayName("the full mix has 3.3 KB per VM, the small one 1.8 KB")
    void reportsHaveTheSizesOfTheSpecification() {
        assertThat(bytesPerVm(ReportSize.FULL)).isBetween(3_200, 3_450);
        assertThat(bytesPerVm(ReportSize.SMALL)).isBetween(1_650, 1_950);
    }

    private static int bytesPerVm(ReportSize size) {
        int vms = 1000;
        Lab lab = new Lab(WorldSettings.of(3, 1, vms).withReportSize(size));
        return lab.ask(0, "Host.getAllVmStats", "{}").text().length() / vms;
    }

    private static void assertSameTypes(JsonNode ours, JsonNode theirs) {
        Map<String, Set<String>> sample = Shape.of(theirs);
        Shape.of(ours)
                .forEach((path, types) -> {
                    if (sample.containsKey(path)) {
                        assertThat(sample.get(path)).as(path).containsAll(types);
                    } else {
                        assertThat(path).as("a field VDSM has, too").matches(KNOWN_EXTRAS);
                    }
                });
    }

    /** Fields of the specification the samples happen not to show. */
    private static final String KNOWN_EXTRAS =
            ".*/(driver_date|driver_version|tpmHash)|/operatingSystem/pretty_name|.*/vlanid";
}
