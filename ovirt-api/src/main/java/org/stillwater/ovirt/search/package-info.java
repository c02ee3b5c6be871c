/**
 * The search language of the REST API v4, evaluated in memory: tokens, a parser to a tree of
 * records, and predicates and orders over the named fields of a kind of entity. No query text
 * becomes a regular expression or SQL, and none is answered by an exception.
 */
@NullMarked
package org.stillwater.ovirt.search;

import org.jspecify.annotations.NullMarked;
