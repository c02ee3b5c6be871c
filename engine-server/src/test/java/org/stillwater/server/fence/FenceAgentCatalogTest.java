package org.stillwater.server.fence;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.fence.FenceAgent;

class FenceAgentCatalogTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "fence-agents.md");

    private static final FenceAgentCatalog CATALOG = FenceAgentCatalog.shipped();

    private static @Nullable String refusal(String type, Map<String, String> options) {
        return CATALOG.refusal(new FenceAgent(type, "192.0.2.9", 623, "admin", "p w\"'", options));
    }

    /** Options of {@code fence_ipmilan -o metadata} that no user may set. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "password_script",
                "passwd_script",
                "ipmitool_path",
                "sudo",
                "use_sudo",
                "sudo_path",
                "debug",
                "debug_file",
                "verbose",
                "verbose_level",
                "version",
                "help",
                "action",
                "option",
                "ip",
                "ipaddr",
                "login",
                "passwd",
                "password",
                "username",
                "ipport",
                "quiet",
                "ssh_options",
                "identity_file",
                "gnutlscli_path",
                "ssh_path",
                "telnet_path",
                "nonsense",
                "lan-plus"
            })
    void optionsForProgramsAndFilesAreExcluded(String name) {
        for (String type : CATALOG.agents().keySet()) {
            assertThat(refusal(type, Map.of(name, "1")))
                    .as(type)
                    .contains("takes no option " + name, "it takes ", "delay");
        }
    }

    @Test
    void noAgentThatComesWithTheEngineHasAnUnsafeOption() {
        assertThat(CATALOG.agents()).containsKeys("ipmilan", "apc_snmp", "redfish", "ilo5_ssh");
        CATALOG.agents()
                .forEach((type, options) ->
                        assertThat(options.keySet())
                                .as(type)
                                .noneMatch(name ->
                                        name.matches(
                                                ".*(script|path|file|sudo|exec|debug|verbose|ssh_options).*")));
    }

    @ParameterizedTest
    @CsvSource({
        "ipmilan, lanplus, 1",
        "ipmilan, lanplus, TRUE",
        "ipmilan, privlvl, operator",
        "ipmilan, cipher, 17",
        "ipmilan, delay, 300",
        "ipmilan, hexadecimal_kg, 00aF",
        "apc, port, 4",
        "apc, plug, 'outlet_4,outlet_5'",
        "drac5, drac_version, DRAC CMC",
        "drac5, cmd_prompt, admin1->",
        "cisco_ucs, suborg, /org-RHEL",
        "apc_snmp, snmp_version, 2c",
        "apc_snmp, snmp_priv_passwd, a&b|c$",
        "redfish, systems_uri, /redfish/v1/Systems/1",
        "ilo4_ssh, secure, yes"
    })
    void usualOptionsAreAllowed(String type, String name, String value) {
        assertThat(refusal(type, Map.of(name, value))).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "ipmilan, lanplus, ''", "ipmilan, lanplus, 2", "ipmilan, privlvl, root",
                "ipmilan, cipher, 17 -f /etc/shadow",
        "ipmilan, cipher, -f", "ipmilan, delay, 301", "ipmilan, delay, -1", "ipmilan, target, 1;id",
        "ipmilan, hexadecimal_kg, xyz", "apc, plug, \"a b\"", "apc, plug, $(id)",
                "apc, plug, a`id`",
        "apc_snmp, community, it\"s", "apc_snmp, community, a b", "drac5, cmd_prompt, (a+)+$",
                "ipmilan, cipher, a\\b"
    })
    void valuesThatCouldBeMoreThanValuesAreNot(String type, String name, String value) {
        assertThat(refusal(type, Map.of(name, value))).contains("option " + name, "must be");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-oProxyCommand=id",
                "host name",
                "host;id",
                "h'x",
                "h\"x",
                "$(id)",
                "../x",
                "host/x",
                "h\u2028x",
                "h@x"
            })
    void anAddressIsANameOrAnAddress(String address) {
        assertThat(CATALOG.refusal(new FenceAgent("apc", address, null, null, null, Map.of())))
                .contains("its address");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "board.example.org",
                "192.0.2.9",
                "2001:db8::1",
                "[2001:db8::1]",
                "fe80::1%eth0"
            })
    void usualAddressesAreAllowed(String address) {
        assertThat(CATALOG.refusal(new FenceAgent("apc", address, null, null, null, Map.of())))
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-oProxyCommand=id",
                "a b",
                "a;id",
                "a'b",
                "a\"b",
                "$(id)",
                "a\\",
                "a\u0085b"
            })
    void aUserIsNoOptionOfAnotherProgram(String user) {
        assertThat(CATALOG.refusal(new FenceAgent("apc", "a", null, user, null, Map.of())))
                .contains("its user");
    }

    @ParameterizedTest
    @ValueSource(strings = {"root", "admin@internal", "DOMAIN\\user", "a.b-c_d"})
    void usualUsersAreAllowed(String user) {
        assertThat(CATALOG.refusal(new FenceAgent("apc", "a", null, user, null, Map.of())))
                .isNull();
    }

    @Test
    void aPasswordEndsNoLine() {
        for (String password : new String[] {"a\u0085b", "a\u2028action=on", "a\u2029b"}) {
            assertThat(CATALOG.refusal(new FenceAgent("apc", "a", null, null, password, Map.of())))
                    .contains("its password")
                    .doesNotContain(password);
        }
    }

    @Test
    void programsThatSwitchNoPowerAreRefused() {
        for (String type : new String[] {"ack_manual", "dummy", "scsi", "kdump"}) {
            assertThat(refusal(type, Map.of())).contains("does not switch the power");
        }
    }

    @Test
    void anAgentThatIsNotKnownTakesNoOptions() {
        assertThat(refusal("homemade", Map.of())).isNull();
        assertThat(refusal("homemade", Map.of("lanplus", "1")))
                .contains("does not know the options of fence_homemade", "lanplus", "metadata");
    }

    private static final String METADATA =
            """
            <?xml version="1.0" ?>
            <resource-agent name="fence_homemade" shortdesc="Fence agent of ours" >
            <longdesc>It calls /usr/bin/homemade.</longdesc>
            <parameters>
              <parameter name="action" unique="0" required="1">
                <getopt mixed="-o, --action=[action]" /><content type="string" default="reboot" />
                <shortdesc lang="en">Fencing action</shortdesc></parameter>
              <parameter name="slot"><getopt mixed="--slot=[number]" /><content type="integer" />
                <shortdesc lang="en">Slot of the blade</shortdesc></parameter>
              <parameter name="zone"><getopt mixed="--zone=[name]" /><content type="string" />
                <shortdesc lang="en">Zone</shortdesc></parameter>
              <parameter name="mode"><content type="select"><option value="fast"/><option value="slow"/></content>
                <shortdesc lang="en">How fast</shortdesc></parameter>
              <parameter name="login_timeout"><content type="second" default="5" />
                <shortdesc lang="en">Wait X seconds for cmd prompt after login</shortdesc></parameter>
              <parameter name="api_token"><content type="string" /><shortdesc>Access</shortdesc></parameter>
              <parameter name="helper"><getopt mixed="--helper=[script]" /><content type="string" />
                <shortdesc lang="en">What helps</shortdesc></parameter>
              <parameter name="book"><content type="string" />
                <shortdesc lang="en">Where the file of zones is</shortdesc></parameter>
              <parameter name="runonfail"><content type="string" /><shortdesc>Started then</shortdesc></parameter>
              <parameter name="passwd_script"><content type="string" /><shortdesc>x</shortdesc></parameter>
              <parameter name="ssh_options"><content type="string" /><shortdesc>x</shortdesc></parameter>
              <parameter name="verbose"><content type="boolean" /><shortdesc>x</shortdesc></parameter>
              <parameter name="bad name"><content type="boolean" /><shortdesc>x</shortdesc></parameter>
            </parameters>
            </resource-agent>
            """;

    @Test
    void furtherAgentsComeFromMetadataThatTheOperatorSupplies(@TempDir Path folder)
            throws IOException {
        Path _ = Files.writeString(folder.resolve("fence_homemade.xml"), METADATA);
        FenceAgentCatalog more = FenceAgentCatalog.load(folder);
        assertThat(more.unusable()).isEmpty();
        assertThat(more.agents().get("homemade").keySet())
                .containsExactly("api_token", "login_timeout", "mode", "slot", "zone");
        assertThat(more.isSecret("homemade", "api_token")).isTrue();
        assertThat(more.isSecret("homemade", "zone")).isFalse();
        assertThat(more.isSecret("homemade", "passwd_script")).isTrue();
        FenceAgent agent =
                new FenceAgent(
                        "homemade", "a", null, null, null, Map.of("slot", "4", "mode", "slow"));
        assertThat(more.refusal(agent)).isNull();
    }

    @Test
    void noFileAddsOptionsAndABrokenOneIsNamed(@TempDir Path folder) throws IOException {
        Path _ =
                Files.writeString(
                        folder.resolve("fence_ipmilan.xml"),
                        METADATA.replace("name=\"zone\"", "name=\"extra\""));
        Path _ =
                Files.writeString(
                        folder.resolve("fence_entity.xml"),
                        """
                        <!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>
                        <resource-agent name="x"><parameters><parameter name="a"><shortdesc>&e;</shortdesc>
                        <content type="string"/></parameter></parameters></resource-agent>
                        """);
        Path _ = Files.writeString(folder.resolve("fence_html.xml"), "<html/>");
        Path _ = Files.writeString(folder.resolve("fence_half.xml"), "<resource-agent>");
        FenceAgentCatalog more = FenceAgentCatalog.load(folder);
        assertThat(more.agents().get("ipmilan")).doesNotContainKey("extra");
        assertThat(more.unusable().keySet())
                .extracting(file -> Path.of(file).getFileName().toString())
                .contains("fence_html.xml", "fence_half.xml")
                .doesNotContain("fence_ipmilan.xml");
        assertThat(more.unusable().toString()).doesNotContain("root:");
    }

    /** The reference page lists the allowed options; {@code -Dstillwater.docs=write} renews it. */
    @Test
    void theReferencePageListsEveryAgentAndOption() throws IOException {
        StringBuilder page =
                new StringBuilder(
                        """
                        # Options of fence agents

                        An agent accepts only the options in its line ([how to fence hosts](../how-to/fence-hosts.md)). They come from the agents' own
                        metadata, without options that name a script, a program, a path or a file, and without `ssh_options`, `sudo`, `debug` and
                        `verbose`. This page is generated from the code and checked by a test.

                        | agent | options |
                        |---|---|
                        """);
        CATALOG.agents()
                .forEach((type, options) ->
                        page.append("| `fence_")
                                .append(type)
                                .append("` | ")
                                .append(
                                        options.keySet().stream()
                                                .map(name -> "`" + name + "`")
                                                .collect(Collectors.joining(", ")))
                                .append(" |\n"));
        page.append("\n| option | value |\n|---|---|\n");
        Map<String, FenceOption> all =
                CATALOG.agents().values().stream()
                        .flatMap(options -> options.entrySet().stream())
                        .collect(
                                Collectors.toMap(
                                        Map.Entry::getKey,
                                        Map.Entry::getValue,
                                        (one, _) -> one,
                                        java.util.TreeMap::new));
        all.forEach((name, option) ->
                page.append("| `")
                        .append(name)
                        .append("` | ")
                        .append(option.expected())
                        .append(option.secret() ? "; never shown" : "")
                        .append(" |\n"));
        if ("write".equals(System.getProperty("stillwater.docs"))) {
            Path _ = Files.writeString(PAGE, page);
        }
        assertThat(PAGE).as("-Dstillwater.docs=write renews it").hasContent(page.toString());
    }
}
