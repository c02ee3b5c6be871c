package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.analysis.DomainXmlReader.Domain;
import org.stillwater.core.analysis.DomainXmlReader.Found;
import org.stillwater.core.analysis.DomainXmlReader.UnreadableDomain;
import org.stillwater.core.id.VmId;

/** The reader of plain documents beside the general one. */
class PlainXmlTest {

    private static final VmId VM = VmId.parse("0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01");

    private static final List<String> SAMPLES =
            List.of(
                    "/libvirt/web-frontend-01.xml",
                    "/libvirt/every-device.xml",
                    "/domain/simple.xml",
                    "/domain/full.xml");

    private static final String CHARACTERS =
            "<>&'\"/ =:;x1_.-\n\t\r\0]!?\u007f\u00e9\u2028\ud7ff\ud83d\ude00\ufeff\ufffe";

    private static final List<String> TOKENS =
            List.of(
                    "<!-- c -->",
                    "<![CDATA[x]]>",
                    "<?i x?>",
                    "<?xml version='1.0'?>",
                    "<!DOCTYPE domain>",
                    "&lt;",
                    "&amp;",
                    "&quot;",
                    "&#65;",
                    "&unknown;",
                    "]]>",
                    "<a/>",
                    "<a>",
                    "</a>",
                    "<p:a/>",
                    "<p:a xmlns:p='u'/>",
                    "<device xmlns='http://ovirt.org/vm/1.0'/>",
                    " xmlns:p='u'",
                    " xmlns:p=''",
                    " xmlns='u'",
                    " type='x'",
                    " type='x' type='y'",
                    " xml:lang='x'",
                    "p:",
                    "\r\n",
                    "  ");

    private static String resource(String name) throws IOException {
        try (InputStream in =
                Objects.requireNonNull(PlainXmlTest.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static List<String> documents() throws IOException {
        List<String> documents = new ArrayList<>();
        for (String sample : SAMPLES) {
            documents.add(resource(sample));
        }
        return documents;
    }

    /** Whether the document is plain; then the general reader reads the same. */
    private static boolean isPlainAndAgrees(String xml) {
        Domain plain = DomainXmlReader.plain(VM, xml);
        if (plain == null) {
            return false;
        }
        try {
            assertThat(plain).as(xml).isEqualTo(DomainXmlReader.general(VM, xml));
            Found found = DomainXmlReader.plainFound(VM, xml);
            if (found != null) { // null if an element whose text counts has elements
                assertThat(found).as(xml).isEqualTo(DomainXmlReader.generalFound(VM, xml));
            }
        } catch (UnreadableDomain e) {
            fail("the general reader refuses: " + e.getMessage() + "\n" + xml);
        }
        return true;
    }

    @Test
    void documentsOfLibvirtArePlain() throws Exception {
        for (String xml : documents()) {
            assertThat(isPlainAndAgrees(xml)).as(xml).isTrue();
            assertThat(DomainXmlReader.plainFound(VM, xml)).as(xml).isNotNull();
        }
    }

    @Test
    void namesWithReferencesArePlain() {
        String xml = "<domain><name>a&amp;b &lt;c&gt; &quot;d&apos;</name><devices/></domain>";
        Domain plain = DomainXmlReader.plain(VM, xml);
        assertThat(plain).isNotNull();
        assertThat(plain.definition().name()).isEqualTo("a&b <c> \"d'");
        assertThat(isPlainAndAgrees(xml)).isTrue();
    }

    @Test
    void prefixesAreThoseOfTheirElements() {
        String device = "<%s:device devtype='disk' name='vda'><%s:readonly/></%s:device>";
        for (String prefix : List.of("o", "p")) {
            String xml =
                    "<domain><metadata xmlns:o='http://ovirt.org/vm/1.0'><o:vm xmlns:p='other'>"
                            + device.replace("%s", prefix)
                            + "</o:vm></metadata><devices><disk><target dev='vda'/></disk>"
                            + "</devices></domain>";
            Domain plain = DomainXmlReader.plain(VM, xml);
            assertThat(plain).isNotNull();
            assertThat(plain.devices().devices().getFirst().readOnly())
                    .isEqualTo(prefix.equals("o"));
            assertThat(isPlainAndAgrees(xml)).isTrue();
        }
        assertThat(isPlainAndAgrees("<domain><a xmlns:p='u'/><p:b/></domain>"))
                .as("a prefix ends with the element that declares it")
                .isFalse();
        assertThat(isPlainAndAgrees("<domain><a xmlns:p='u'><p:b/></a></domain>")).isTrue();
        assertThat(
                        isPlainAndAgrees(
                                "<domain><devices><disk><address xmlns:p='u' type='pci'/></disk>"
                                        + "</devices></domain>"))
                .as("a declaration is no attribute")
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "x<domain/>",
                "<domain",
                "<domain/",
                "<domain>",
                "<domain></domai>",
                "<domain></domainx>",
                "< domain/>",
                "<domain/ >",
                "<domain a/>",
                "<domain a=/>",
                "<domain a=b/>",
                "<domain a='b/>",
                "<domain a='1'b='2'/>",
                "<domain a='1' a='2'/>",
                "<domain a='<'/>",
                "<domain a='&'/>",
                "<domain a='&x;'/>",
                "<domain a='\n'/>",
                "<domain a:b='1'/>",
                "<domain xmlns='u'/>",
                "<domain xmlns:p=''/>",
                "<domain xmlns:xml='u'/>",
                "<domain xmlns:p='u' xmlns:p='v'/>",
                "<domain xmlns:p='http://www.w3.org/2000/xmlns/'/>",
                "<p:domain/>",
                "<domain>]]></domain>",
                "<domain>&#65;</domain>",
                "<domain>\r</domain>",
                "<domain><![CDATA[x]]></domain>",
                "<domain><!-- x --></domain>",
                "<domain><?x y?></domain>",
                "<?xml version='1.0'?><domain/>",
                "<!DOCTYPE domain><domain/>",
                "<domain><name>x<a/></name></domain>",
                "<domain><\u00e9/></domain>",
                "<network/>"
            })
    void otherXmlIsLeftToTheGeneralReader(String xml) {
        assertThat(DomainXmlReader.plain(VM, xml)).isNull();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void mutatedDocumentsAreReadAsByTheGeneralReader(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> documents = documents();
        int plain = 0;
        int rounds = 400;
        for (int round = 0; round < rounds; round++) {
            StringBuilder mutated =
                    new StringBuilder(documents.get(random.nextInt(documents.size())));
            for (int i = random.nextInt(1, 4); i > 0; i--) {
                mutate(mutated, random);
            }
            plain += isPlainAndAgrees(mutated.toString()) ? 1 : 0;
        }
        assertThat(plain).as("documents that stayed plain").isBetween(rounds / 20, rounds);
    }

    private static void mutate(StringBuilder document, SplittableRandom random) {
        int at = random.nextInt(document.length());
        switch (random.nextInt(5)) {
            case 0 ->
                    document.setCharAt(at, CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
            case 1 -> document.setCharAt(at, (char) random.nextInt(' ', 0x7f));
            case 2 -> document.delete(at, Math.min(document.length(), at + random.nextInt(1, 9)));
            case 3 -> document.insert(at, TOKENS.get(random.nextInt(TOKENS.size())));
            default -> {
                int end = Math.min(document.length(), at + random.nextInt(1, 60));
                document.insert(at, document.substring(at, end));
            }
        }
    }
}
