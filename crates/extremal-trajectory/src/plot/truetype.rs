//! As much of TrueType as the embedded typeface needs: which glyph a character has, how wide it is, and its outline of quadratic
//! curves (the tables `cmap`, `hmtx` and `glyf` of the OpenType specification). Hints are left out: figures are drawn large.

/// Glyphs made of glyphs made of glyphs: no typeface goes deeper.
const DEEPEST: u32 = 5;

/// A typeface in memory.
pub(super) struct Face<'f> {
    head: FontTable<'f>,
    hhea: FontTable<'f>,
    hmtx: FontTable<'f>,
    loca: FontTable<'f>,
    glyf: FontTable<'f>,
    /// The mapping of characters, of format 4 or 12.
    characters: FontTable<'f>,
}

/// Draws an outline, in font units with y upwards.
pub(super) trait OutlinePen {
    fn move_to(&mut self, x: f32, y: f32);
    fn line_to(&mut self, x: f32, y: f32);
    fn quad_to(&mut self, control: (f32, f32), x: f32, y: f32);
    fn close(&mut self);
}

/// Bytes with numbers in them, the most significant byte first.
#[derive(Clone, Copy)]
struct FontTable<'f>(&'f [u8]);

impl<'f> FontTable<'f> {
    fn u8(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    fn u16(self, at: usize) -> Option<u16> {
        let bytes = self.0.get(at..at.checked_add(2)?)?;
        Some(u16::from_be_bytes(bytes.try_into().ok()?))
    }

    fn i16(self, at: usize) -> Option<i16> {
        self.u16(at).map(u16::cast_signed)
    }

    fn u32(self, at: usize) -> Option<u32> {
        let bytes = self.0.get(at..at.checked_add(4)?)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    }

    fn from(self, at: usize) -> Option<FontTable<'f>> {
        self.0.get(at..).map(FontTable)
    }
}

impl<'f> Face<'f> {
    pub fn new(bytes: &'f [u8]) -> Option<Face<'f>> {
        let file = FontTable(bytes);
        let tables = usize::from(file.u16(4)?);
        let table = |tag: &[u8; 4]| {
            let entry = (0..tables).map(|k| 12 + 16 * k).find(|at| bytes.get(*at..*at + 4) == Some(tag))?;
            let [start, length] = [file.u32(entry + 8)?, file.u32(entry + 12)?].map(|number| number as usize);
            bytes.get(start..start.checked_add(length)?).map(FontTable)
        };
        let cmap = table(b"cmap")?;
        let maps = (0..usize::from(cmap.u16(2)?)).filter_map(|k| cmap.from(cmap.u32(4 + 8 * k + 4)? as usize));
        let characters = maps.filter(|map| matches!(map.u16(0), Some(4 | 12))).max_by_key(|map| map.u16(0))?;
        Some(Face {
            head: table(b"head")?,
            hhea: table(b"hhea")?,
            hmtx: table(b"hmtx")?,
            loca: table(b"loca")?,
            glyf: table(b"glyf")?,
            characters,
        })
    }

    /// Font units in one font size.
    pub fn units_per_em(&self) -> u16 {
        self.head.u16(18).filter(|units| *units > 0).unwrap_or(1)
    }

    /// The glyph of a character, if there is one.
    pub fn glyph(&self, c: char) -> Option<u16> {
        let found = match self.characters.u16(0)? {
            4 => self.glyph_in_segments(u16::try_from(u32::from(c)).ok()?),
            _ => self.glyph_in_groups(u32::from(c)),
        };
        found.filter(|glyph| *glyph != 0)
    }

    fn glyph_in_segments(&self, c: u16) -> Option<u16> {
        let map = self.characters;
        let size = usize::from(map.u16(6)?);
        let (ends, starts) = (14, 16 + size);
        let segment = (0..size).step_by(2).find(|k| map.u16(ends + k).is_some_and(|end| c <= end))?;
        let start = map.u16(starts + segment)?;
        let before = c.checked_sub(start)?;
        let delta = map.u16(starts + size + segment)?;
        let range_at = starts + 2 * size + segment;
        match usize::from(map.u16(range_at)?) {
            0 => Some(c.wrapping_add(delta)),
            offset => {
                let glyph = map.u16(range_at + offset + 2 * usize::from(before))?;
                Some(if glyph == 0 { 0 } else { glyph.wrapping_add(delta) })
            }
        }
    }

    fn glyph_in_groups(&self, c: u32) -> Option<u16> {
        let map = self.characters;
        (0..map.u32(12)? as usize).find_map(|k| {
            let [first, last, glyph] = [16, 20, 24].map(|field| map.u32(field + 12 * k));
            let before = c.checked_sub(first?)?;
            (c <= last?).then(|| u16::try_from(glyph?.checked_add(before)?).ok())?
        })
    }

    /// How far a glyph moves the next one on.
    pub fn advance(&self, glyph: u16) -> Option<u16> {
        let last = self.hhea.u16(34)?.checked_sub(1)?;
        self.hmtx.u16(4 * usize::from(glyph.min(last)))
    }

    /// Draws a glyph.
    pub fn outline(&self, glyph: u16, pen: &mut impl OutlinePen) {
        // A glyph that cannot be read is not drawn.
        let _ = self.draw(glyph, GlyphPlace::HERE, pen, DEEPEST);
    }

    fn draw(&self, glyph: u16, place: GlyphPlace, pen: &mut impl OutlinePen, depth: u32) -> Option<()> {
        let at = |k: usize| match self.head.u16(50)? {
            0 => Some(2 * usize::from(self.loca.u16(2 * k)?)),
            _ => Some(self.loca.u32(4 * k)? as usize),
        };
        let (start, end) = (at(usize::from(glyph))?, at(usize::from(glyph) + 1)?);
        // A space has no outline.
        let data = FontTable(self.glyf.0.get(start..end)?);
        match data.i16(0)? {
            contours @ 0.. => draw_contours(data, contours.unsigned_abs().into(), place, pen),
            _ => self.draw_parts(data.from(10)?, place, pen, depth.checked_sub(1)?),
        }
    }

    /// A glyph that is made of others.
    fn draw_parts(&self, data: FontTable<'_>, place: GlyphPlace, pen: &mut impl OutlinePen, depth: u32) -> Option<()> {
        const WORDS: u16 = 1;
        const OFFSETS: u16 = 2;
        const SCALE: u16 = 8;
        const MORE: u16 = 0x20;
        const TWO_SCALES: u16 = 0x40;
        const MATRIX: u16 = 0x80;
        let mut at = 0;
        loop {
            let (flags, part) = (data.u16(at)?, data.u16(at + 2)?);
            at += 4;
            let (dx, dy);
            if flags & WORDS != 0 {
                (dx, dy) = (data.i16(at)?, data.i16(at + 2)?);
                at += 4;
            } else {
                (dx, dy) = (data.u8(at)?.cast_signed().into(), data.u8(at + 1)?.cast_signed().into());
                at += 2;
            }
            let number = |at: usize| Some(f32::from(data.i16(at)?) / 16384.0);
            let [xx, xy, yx, yy];
            if flags & MATRIX != 0 {
                [xx, xy, yx, yy] = [number(at)?, number(at + 2)?, number(at + 4)?, number(at + 6)?];
                at += 8;
            } else if flags & TWO_SCALES != 0 {
                [xx, xy, yx, yy] = [number(at)?, 0.0, 0.0, number(at + 2)?];
                at += 4;
            } else if flags & SCALE != 0 {
                [xx, xy, yx, yy] = [number(at)?, 0.0, 0.0, number(at)?];
                at += 2;
            } else {
                [xx, xy, yx, yy] = [1.0, 0.0, 0.0, 1.0];
            }
            // Parts that are moved by points of the outline instead are not in use any more.
            if flags & OFFSETS != 0 {
                let inner = GlyphPlace { xx, xy, yx, yy, dx: dx.into(), dy: dy.into() };
                self.draw(part, place.after(inner), pen, depth)?;
            }
            if flags & MORE == 0 {
                return Some(());
            }
        }
    }
}

/// Where the parts of a glyph are drawn: (x, y) at (xx x + yx y + dx, xy x + yy y + dy).
#[derive(Clone, Copy)]
struct GlyphPlace {
    xx: f32,
    xy: f32,
    yx: f32,
    yy: f32,
    dx: f32,
    dy: f32,
}

impl GlyphPlace {
    const HERE: GlyphPlace = GlyphPlace { xx: 1.0, xy: 0.0, yx: 0.0, yy: 1.0, dx: 0.0, dy: 0.0 };

    fn of(&self, (x, y): (f32, f32)) -> (f32, f32) {
        (self.xx * x + self.yx * y + self.dx, self.xy * x + self.yy * y + self.dy)
    }

    fn after(&self, inner: GlyphPlace) -> GlyphPlace {
        let linear = GlyphPlace { dx: 0.0, dy: 0.0, ..*self };
        let ((xx, xy), (yx, yy)) = (linear.of((inner.xx, inner.xy)), linear.of((inner.yx, inner.yy)));
        let (dx, dy) = self.of((inner.dx, inner.dy));
        GlyphPlace { xx, xy, yx, yy, dx, dy }
    }
}

/// A point of a contour: on the curve, or a control point of it.
#[derive(Clone, Copy)]
struct Knot {
    on_curve: bool,
    at: (f32, f32),
}

fn draw_contours(data: FontTable<'_>, contours: usize, place: GlyphPlace, pen: &mut impl OutlinePen) -> Option<()> {
    const ON_CURVE: u8 = 1;
    const REPEAT: u8 = 8;
    let ends: Vec<usize> = (0..contours).map(|k| Some(usize::from(data.u16(10 + 2 * k)?))).collect::<Option<_>>()?;
    let count = ends.last().map_or(0, |last| last + 1);
    let mut at = 10 + 2 * contours;
    at += 2 + usize::from(data.u16(at)?);
    let mut flags = Vec::with_capacity(count);
    while flags.len() < count {
        let flag = data.u8(at)?;
        at += 1;
        let mut times = 1;
        if flag & REPEAT != 0 {
            times += usize::from(data.u8(at)?);
            at += 1;
        }
        flags.extend(std::iter::repeat_n(flag, times.min(count - flags.len())));
    }
    // For each coordinate, a bit says that its change is one byte; another is then its sign, else that there is no change.
    let mut coordinates = |short: u8, same: u8| {
        let mut value = 0i32;
        let mut all = Vec::with_capacity(count);
        for flag in &flags {
            match (flag & short != 0, flag & same != 0) {
                (true, positive) => {
                    let change = i32::from(data.u8(at)?);
                    value += if positive { change } else { -change };
                    at += 1;
                }
                (false, true) => {}
                (false, false) => {
                    value += i32::from(data.i16(at)?);
                    at += 2;
                }
            }
            all.push(value as f32);
        }
        Some(all)
    };
    let (xs, ys) = (coordinates(2, 16)?, coordinates(4, 32)?);
    let knots: Vec<Knot> = flags
        .iter()
        .zip(xs.into_iter().zip(ys))
        .map(|(flag, point)| Knot { on_curve: flag & ON_CURVE != 0, at: place.of(point) })
        .collect();
    let mut start = 0;
    for end in ends {
        draw_contour(knots.get(start..=end)?, pen);
        start = end + 1;
    }
    Some(())
}

/// One closed contour. Between two control points the middle is on the curve.
fn draw_contour(knots: &[Knot], pen: &mut impl OutlinePen) {
    let (Some(first), Some(last)) = (knots.first(), knots.last()) else { return };
    let start = match (first.on_curve, last.on_curve) {
        (true, _) => first.at,
        (false, true) => last.at,
        (false, false) => middle(first.at, last.at),
    };
    pen.move_to(start.0, start.1);
    let mut control = None;
    let closing = Knot { on_curve: true, at: start };
    for knot in knots.iter().skip(usize::from(first.on_curve)).chain([&closing]) {
        control = match (control, knot.on_curve) {
            (None, true) => {
                pen.line_to(knot.at.0, knot.at.1);
                None
            }
            (None, false) => Some(knot.at),
            (Some(control), true) => {
                pen.quad_to(control, knot.at.0, knot.at.1);
                None
            }
            (Some(control), false) => {
                let between = middle(control, knot.at);
                pen.quad_to(control, between.0, between.1);
                Some(knot.at)
            }
        };
    }
    pen.close();
}

fn middle(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
    ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The box around an outline, and the area it encloses, clockwise positive.
    #[derive(Default)]
    struct MeasuredText {
        lowest: (f32, f32),
        highest: (f32, f32),
        contours: usize,
        area: f64,
        at: (f32, f32),
        start: (f32, f32),
    }

    impl MeasuredText {
        fn to(&mut self, x: f32, y: f32) {
            self.area += (f64::from(self.at.1) * f64::from(x) - f64::from(self.at.0) * f64::from(y)) / 2.0;
            self.see(x, y);
        }

        fn see(&mut self, x: f32, y: f32) {
            self.lowest = (self.lowest.0.min(x), self.lowest.1.min(y));
            self.highest = (self.highest.0.max(x), self.highest.1.max(y));
            self.at = (x, y);
        }
    }

    impl OutlinePen for MeasuredText {
        fn move_to(&mut self, x: f32, y: f32) {
            self.start = (x, y);
            self.contours += 1;
            self.see(x, y);
        }

        fn line_to(&mut self, x: f32, y: f32) {
            self.to(x, y);
        }

        fn quad_to(&mut self, _: (f32, f32), x: f32, y: f32) {
            self.to(x, y);
        }

        fn close(&mut self) {
            self.to(self.start.0, self.start.1);
        }
    }

    fn face() -> Face<'static> {
        Face::new(include_bytes!("../../assets/DejaVuSans.ttf")).unwrap()
    }

    fn measured(c: char) -> MeasuredText {
        let face = face();
        let mut seen = MeasuredText::default();
        face.outline(face.glyph(c).unwrap(), &mut seen);
        seen
    }

    #[test]
    fn outlines_lie_in_their_boxes() {
        let (letter, accented) = (measured('e'), measured('é'));
        assert_eq!((letter.contours, accented.contours), (2, 3), "the accent is a part of its own");
        assert!(accented.highest.1 > letter.highest.1 + 200.0);
        assert_eq!(measured('i').contours, 2);
        assert_eq!(measured(' ').contours, 0);
        // A capital is 1493 units high and stands on the line.
        let capital = measured('H');
        assert_eq!((capital.lowest.1, capital.highest.1), (0.0, 1493.0));
    }

    #[test]
    fn a_hole_is_drawn_the_other_way_round() {
        let (o, bar) = (measured('O'), measured('l'));
        let full = f64::from((o.highest.0 - o.lowest.0) * (o.highest.1 - o.lowest.1));
        assert!(o.area > 0.0 && o.area < 0.5 * full, "{} of {full}", o.area);
        // An l is one upright bar, 184 by 1556.
        assert_eq!(bar.area, 184.0 * 1556.0);
    }

    #[test]
    fn broken_files_are_refused_or_draw_nothing() {
        let whole = include_bytes!("../../assets/DejaVuSans.ttf");
        assert!(Face::new(&[]).is_none());
        for length in (0..whole.len()).step_by(997) {
            if let Some(face) = Face::new(&whole[..length]) {
                let mut seen = MeasuredText::default();
                (0..300).for_each(|glyph| face.outline(glyph, &mut seen));
            }
        }
        let mut damaged = whole.to_vec();
        for at in (0..damaged.len()).step_by(13) {
            damaged[at] ^= 0xa5;
        }
        if let Some(face) = Face::new(&damaged) {
            let mut seen = MeasuredText::default();
            (0..300).for_each(|glyph| face.outline(glyph, &mut seen));
            let _ = face.glyph('x');
        }
    }
}
