package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import tools.jackson.databind.JsonNode;

/** The libvirt XML of a VM against its report. */
class DomainXmlTest {

    private final Lab lab = Lab.of(1, 60);
    private final XPath xpath = XPathFactory.newInstance().newXPath();

    @Test
    @DisplayName("8b.42 dumpxmls agrees with the stats: identity, NICs, disks, displays")
    void devicesAgreeWithTheReport() throws Exception {
        lab.world.vms().getFirst().plugNic();
        lab.world.vms().getFirst().plugDisk();
        lab.pass(30);
        for (SimulatedVm vm : lab.world.vms()) {
            JsonNode stats = lab.stats(0, vm);
            Document xml = document(xml(lab, vm));
            assertThat(one(xml, "/domain/name")).isEqualTo(stats.get("vmName").asString());
            assertThat(one(xml, "/domain/uuid")).isEqualTo(stats.get("vmId").asString());
            assertThat(one(xml, "/domain/vcpu/@current"))
                    .isEqualTo(stats.get("vcpuCount").asString());
            assertThat(one(xml, "/domain/memory"))
                    .isEqualTo(stats.get("balloonInfo").get("balloon_max").asString());

            List<String> taps = Shape.keys(stats.get("network"));
            assertThat(all(xml, "/domain/devices/interface/target/@dev")).isEqualTo(taps);
            assertThat(all(xml, "/domain/devices/interface/mac/@address"))
                    .isEqualTo(
                            taps.stream()
                                    .map(tap ->
                                            stats.get("network").get(tap).get("macAddr").asString())
                                    .toList());
            List<String> devices = Shape.keys(stats.get("disks"));
            assertThat(all(xml, "/domain/devices/disk/target/@dev")).isEqualTo(devices);
            for (String device : devices) {
                JsonNode image = stats.get("disks").get(device).get("imageID");
                String path = "/domain/devices/disk[target/@dev='%s']/".formatted(device);
                if (image == null) {
                    assertThat(one(xml, path + "@device")).isEqualTo("cdrom");
                } else {
                    assertThat(one(xml, path + "serial")).isEqualTo(image.asString());
                    assertThat(one(xml, path + "alias/@name")).isEqualTo("ua-" + image.asString());
                    assertThat(one(xml, path + "source/@*[1]") + one(xml, path + "source/@file"))
                            .contains(image.asString());
                }
            }
            List<String> ports = new ArrayList<>();
            stats.get("displayInfo").forEach(display -> ports.add(display.get("port").asString()));
            assertThat(all(xml, "/domain/devices/graphics/@port")).isEqualTo(ports);
        }
    }

    @Test
    @DisplayName("8b.42 the XML has the elements of the sample")
    void elementsAreThoseOfTheSample() throws Exception {
        SimulatedVm server =
                lab.world.vms().stream()
                        .filter(vm -> vm.machine().spice && vm.machine().nics.size() == 2)
                        .findFirst()
                        .orElseThrow();
        String sample = Lab.sample("host_dumpxmls").get("result").iterator().next().asString();
        assertThat(paths(document(xml(lab, server)))).containsAll(paths(document(sample)));
    }

    /** libvirt has no TPM 2.0 for a guest with a BIOS that the engine could define. */
    @Test
    void aTpmComesWithUefi() throws Exception {
        int tpms = 0;
        for (SimulatedVm vm : lab.world.vms()) {
            Document xml = document(xml(lab, vm));
            boolean tpm = !all(xml, "/domain/devices/tpm/@model").isEmpty();
            assertThat(one(xml, "/domain/os/loader/@type")).isEqualTo(tpm ? "pflash" : "");
            assertThat(one(xml, "/domain/os/bios/@useserial")).isEqualTo(tpm ? "" : "yes");
            tpms += tpm ? 1 : 0;
        }
        assertThat(tpms).isBetween(1, lab.world.vms().size() - 1);
    }

    private static List<String> paths(Document document) {
        List<String> paths = new ArrayList<>();
        collect(document.getDocumentElement(), "", paths);
        return paths.stream().distinct().toList();
    }

    private static void collect(org.w3c.dom.Node node, String path, List<String> paths) {
        String here = path + "/" + node.getNodeName();
        paths.add(here);
        for (int i = 0; i < node.getAttributes().getLength(); i++) {
            paths.add(here + "/@" + node.getAttributes().item(i).getNodeName());
        }
        NodeList children = node.getChildNodes();
        for (int i = 0; i < children.getLength(); i++) {
            if (children.item(i) instanceof org.w3c.dom.Element child) {
                collect(child, here, paths);
            }
        }
    }

    static String xml(Lab lab, SimulatedVm vm) {
        return lab.result(0, "Host.dumpxmls", "{\"vmList\": [\"%s\"]}".formatted(vm.id()))
                .get(vm.id().toString())
                .asString();
    }

    private static Document document(String xml) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(xml)));
    }

    private String one(Document xml, String path) throws Exception {
        return xpath.evaluate(path, xml);
    }

    private List<String> all(Document xml, String path) throws Exception {
        NodeList nodes = (NodeList) xpath.evaluate(path, xml, XPathConstants.NODESET);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent());
        }
        return texts;
    }
}
