/**
 * The elements of the REST API v4 as records, one model for XML and JSON. A component is named as
 * its element in camel case; null is left out; integers and truth values are boxed because absence
 * means something. What is written how is said by the codec, and nothing here does anything.
 */
@NullMarked
package org.stillwater.ovirt.model;

import org.jspecify.annotations.NullMarked;
