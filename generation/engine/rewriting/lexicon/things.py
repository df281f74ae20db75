"""Things of procedures by kind: which things a person could mistake for each other.

One line per kind: `name [mass]: thing = other name of the same thing; thing; ...`. Things of one
kind are alternatives to each other; other names of one thing never are. A thing in parentheses is
known and never offered; `{}` stands for the right thing itself ("skin beside the {}"). A line
`name@family` lists what is offered instead where the thing is used by an action of that family.
Kinds are listed per domain; a thing is looked up in the domain of the procedure first. Written for
PIE-V.
"""

KITCHEN = """
dish: bowl = mixing bowl = small bowl = large bowl = stainless bowl = salad bowl; plate; tray;
  saucer; platter; baking dish; (lunch box); (colander = strainer = mesh strainer)
vessel: cup = coffee cup = tea cup = mug cup; mug; glass = glass cup; jug = pitcher;
  measuring cup; thermos flask; tumbler; (ramekin cup = ramekin)
boiler@switch_on: coffee maker; toaster; kitchen light; hot plate; kitchen fan; rice cooker; blender
boiler@switch_off: coffee maker; toaster; kitchen light; hot plate; kitchen fan
boiler: kettle = electric kettle; coffee maker; saucepan; thermos flask; teapot
cookware: pot = cooking pot; saucepan; skillet; frying pan = pan = chafer pan; wok;
  (baking sheet); casserole dish
packaging: bag; pack = packet = package; carton; box; (sachet); crate = egg crate
jar: container = tub; jar; bottle; can; tin; pot of honey
stirrer: spoon = small spoon = cooking spoon = stirrer; fork; spatula; whisk; ladle;
  wooden spoon; chopsticks = chopstick; tongs; tablespoon
measure: measuring spoon; teaspoon; dessert spoon; soup spoon; scoop
cutter: knife = kitchen knife; peeler; kitchen shears = scissors; (grater);
  pizza cutter = pizza knife; pastry cutter = cutter; bread knife
cloth: cloth; napkin = kitchen napkin; paper towel = tissue paper = tissue;
  kitchen towel = kitchen hand towel = dish towel; sponge; apron; oven glove; pot holder
sieve: sieve = fine mesh sieve; tea strainer; coffee filter = paper filter = filter; funnel
board: chopping board = cutting board = board; serving board; baking mat = rolling mat;
  rolling board;
  baking tray
roller: rolling pin = roller pin = wooden rolling pin; meat mallet; potato masher; pastry brush
surface: countertop = counter top = kitchen countertop = kitchen counter = counter = contertop;
  table = dining table; kitchen island; windowsill; dish rack = dish washer rack = kitchenware rack;
  (stool); work table; sideboard
storage: cabinet = kitchen cabinet = cupboard = kitchen island cabinet; drawer = kitchen drawer =
  cabinet drawer; refrigerator = fridge; freezer; shelf = kitchen shelf; pantry = kitchen pantry;
  compartment; basket
stand: rack = cutlery rack = plate rack = utensil rack; knife block; holder; dishwasher; tray
hob: stove = cooker = gas cooker = electric stove = stovetop = kitchen stove; (gas burner = burner);
  (oven); hot plate; camping stove
oven: (microwave = microwave oven)
control: knob = stove knob; button = stove button; timer dial; oven dial; switch
basin: sink = kitchen sink; dishwashing bowl; bucket; (trash bowl); mop bucket
tap: tap = kitchen tap = faucet = running tap = running faucet; hot tap; water dispenser
bin: trash can = trash bin = bin = waste bin = dustbin; compost bucket; recycling bin; paper bag
vegetable: tomato; cucumber; carrot; onion; bell pepper = red bell pepper; zucchini; potato;
  eggplant; mushroom; radish; celery stick; avocado; green chili pepper = green chili =
  green chilies; spring onion = scallion
leaf [mass]: lettuce; cabbage; celery = celeries; spinach; kale; mustard leaves
  = sliced mustard leaves; bok choy; arugula
salad leaf: lettuce leaf = lettuce leaves = leaf; cabbage leaf; spinach leaf; flatbread
stalk: (stem); (stalk)
fruit: apple; lemon; lime; orange; banana; pear; peach
cherry: cherry tomato = cherry chopped tomato; olive; grape; radish
herb [mass]: parsley = fresh parsley; cilantro = fresh cilantro = coriander; thyme = fresh thyme;
  basil; mint; dill; dried herbs; oregano; rosemary
aromatic [mass]: ginger = fresh ginger = peeled ginger; garlic = diced garlic; shallot;
  horseradish; turmeric root
clove: garlic clove; shallot; ginger slice; onion ring
spice [mass]: chili powder = red pepper powder = red chilli powder = chilli powder; (powder);
  black pepper = pepper; white pepper; turmeric =
  turmeric powder; cinnamon powder = cinnamon; paprika; cumin; cardamom; nutmeg; curry powder;
  ground ginger
whole spice: cinnamon stick; bay leaf; star anise; cardamom pod; vanilla pod; clove
seasoning [mass]: salt = pink salt; sugar = brown sugar; baking powder; garlic powder; citric acid;
  stock powder; vanilla sugar; onion powder; baking soda
powder [mass]: flour = measured flour; cornstarch; cocoa powder; semolina; milk powder; icing sugar;
  breadcrumbs
liquid [mass]: (juice = extract = syrup); milk = hot milk = boiling milk; cream; lemon juice;
  broth; oat milk; apple juice;
  buttermilk; coconut milk
water [mass]: water = more water = hot water; milk; vinegar; soda water; lemonade; salt water;
  coconut water; apple juice
water@clean: soapy water; salt water; vinegar; cloudy dishwater; sugary water; lemonade; cold tea
dripper: dripper; funnel; tea infuser; strainer; milk frother
filling: filling; topping; spread
sandwich: sandwich; (muffin = english muffin); (wrap); (burger)
oil [mass]: oil = cooking oil; melted butter; sesame oil; vinegar; honey; fish sauce
sauce [mass]: (sauce = paste); soy sauce = tamari; oyster sauce; mayonnaise; ketchup; mustard;
  vinegar =
  rice vinegar; fish sauce; hot sauce; honey; barbecue sauce
fat [mass]: butter; margarine; cream cheese; lard; jam; peanut butter; mayonnaise; honey; yogurt;
  mustard
cheese [mass]: cheese = cheddar cheese = mozzarella cheese = mozzarella; feta; parmesan;
  cottage cheese; tofu
starch [mass]: noodles = noodle = boiled noodles; rice = sushi rice; pasta; couscous;
  spaghetti; vermicelli
egg: egg; quail egg; egg white; egg yolk
batter [mass]: egg mixture = beaten egg; pancake batter; flour mixture; milk mixture
dough [mass]: dough = flattened dough; pie crust; bread dough; fondant
cooked [mass]: scrambled eggs = scrambled egg; (omelet = omelette); fried rice; mashed potatoes
salad [mass]: salad = salad mixture = undressed salad; vegetable scraps; dressing; croutons
drink [mass]: tea = chai tea; coffee; milk tea; hot chocolate; cocoa; lemonade
brew [mass]: tea leaves; coffee grounds = ground coffee; cocoa powder; rooibos tea;
  matcha powder; dried mint; instant coffee; cinnamon sugar
teabag: tea bag; coffee pod; sugar stick; cinnamon stick; sugar cube
bread: slice of bread = bread slice; bread roll; cracker; tortilla; bagel; slice of toast;
  rice cake; waffle; bun; slice of cake
nuts [mass]: almonds; sesame seeds = sesame seed; walnuts; peanuts; sunflower seeds; pumpkin seeds
fish [mass]: fish; shrimp; tofu; chicken; tuna
seaweed [mass]: dried seaweed = seaweed; rice paper; lettuce leaf; baking paper
waste [mass]: egg shells = eggshells = egg shell; carrot peels = peels; onion skins;
  used tea bags; vegetable scraps; trash
lid: lid; plate cover; sheet of foil; splash guard; (saucer)
heat [mass]: (heat = stove heat = heat temperature = medium heat = temperature); (flame);
  (oven temperature); (timer); kitchen fan; kitchen light
document: recipe = paper recipe = recipe instruction = recipe instruction paper; shopping list;
  food label; phone; clock; nutrition table
lighter: lighter = gas lighter; match; candle; blowtorch
machine: (coffee maker); rice cooker = electric rice cooker; blender; toaster;
  food processor; milk frother
soap [mass]: soap; dish soap; vinegar; cooking oil; baking soda; hand cream
"""

BICYCLE = """
tool: wrench = wrenches = appropriate wrench; socket wrench; tripod wrench; Allen key = hex key;
  screwdriver; pliers; adjustable wrench; torque wrench; spanner; wrench pull
striker: mallet; hammer; rubber hammer; steel bar
lever: tire lever = tyre lever; spoon handle; flat screwdriver; spoke key; butter knife; ruler;
  Allen key; chisel; key ring
pump: pump = air compressor; pressure gauge; CO2 cartridge; hand pump
needle: deflating needle; valve core tool; small screwdriver; ball needle; paper clip
wheel: wheel = bicycle wheel; front wheel; rear wheel; training wheel; chainring
tyre: (tyre = tire = outer tire)
bead: (bead)
tube: inner tube = tube = new inner tube; rim strip; (spare tube)
rim: rim = wheel rim = bicycle rim; hub; rim strip
debris [mass]: glass; grit; gravel; mud; old glue
air: (air)
frame part: fork; frame = bicycle frame; chainstay; dropout; seat tube; handlebar; rack mount
fastener: axle nut = both axle nuts; brake bolt; pedal bolt; seat clamp bolt; stem bolt;
  mudguard screw; rear axle = axle
brake: brake = hand brake; brake cable; brake noodle; brake pad; shifter cable; brake lever
valve: valve stem = valve; valve core; spoke nipple; valve nut
cap: valve cap = dust cap = cap; valve nut; axle nut; bottle cap
drive: chain = bicycle chain; pedal; crank = crank arm; cassette; derailleur = rear derailleur;
  chainstay;
  (roller = each individual roller = rollers); jockey wheel; front chainring; freewheel
link: (link = chain link); (quick link)
release: release lever = quick release lever; brake lever; seat clamp lever
lubricant [mass]: chain lube = lube; grease; oil; brake fluid; chain wax; soapy water;
  cooking oil; paraffin
cloth: cloth = rag; sponge; paper towel; brush = toothbrush = toothbrushes; steel wool; glove;
  old sock; newspaper; sleeve; sandpaper
surface: work table = bench = workbench; floor; tool rack; tool stand; apron; toolbox; shelf; stool;
  bike stand; drawer; windowsill
liquid [mass]: water; soapy water; alcohol; salt water; lemonade
degreasing [mass]: degreaser; oil; chain wax; window cleaner; furniture polish; brake fluid;
  air freshener; insect spray
hole: hole; spoke hole; bottle cage mount; drain hole; slot
"""

LABORATORY = """
vial: test vial = vial = covid test vial; test tube = tube = covid 19 test tube; reagent bottle;
  sample cup; beaker; flask; measuring cylinder; petri dish; specimen jar
swab: test swab = swab = nasal swab = collection swab = unused swab; dropper; cotton ball; pipette =
  transfer pipette; (toothpick); stirring stick; plastic straw
indicator: test indicator = test plate = covid test plate = test cassette; test strip;
  (control strip); spare cassette; (desiccant packet); strip of filter paper
chart: colour chart = color chart; instruction sheet; lid of the box; periodic table;
  label of the bottle; safety poster; ruler; price list; calendar; window; map
reading: reading; sample number; (date); (time); (weight); room number; batch number; phone number
packaging: package = covid test package = test pack; box = covid test box = covid test kit box; bag;
  pouch; sachet; pack = its pack; plastic bag = ziplock waste bag; tray; envelope; bin = trash bin
seal: seal paper = test tube seal paper; cap = lid; foil = test tube wrap; label; stopper; sticker;
  film
solution [mass]: test solution = testing solution = solution = sample; saline; distilled water =
  water; buffer solution; tap water; alcohol; dilute acid; rinse water
mixture [mass]: mixture; (residue)
nostril: nostril = left nostril = right nostril; throat; ear; cheek; mouth
document: instruction sheet = test instruction sheet = covid test instruction sheet = instruction;
  warranty card; result form; package label; consent form; leaflet
rod: glass rod; thermometer; pipette tip; metal spatula; plastic spoon; pencil; wooden splint
record: notebook = lab notebook; result form; label; scrap of paper; clipboard; paper towel;
  calendar; envelope
surface: table; windowsill; chair; floor; tray; counter; shelf
protection: safety glasses; reading glasses; face shield; lab coat; earplugs; gloves; sunglasses
"""

FIRST_AID = """
body: chest; stomach; throat; forehead; back; collarbone; abdomen; rib cage
limb@acquire: wrist; ankle; upper arm; fingers; other arm
limb@take_out: wrist; ankle; upper arm; fingers; other arm
limb: shoulder; arm; knee; elbow; foot; leg; wrist
sign [mass]: consciousness; breathing = breath; pulse; pain; fever; temperature; skin colour
dressing: gauze; plaster; bandage; cotton wool; paper towel; cling film; handkerchief; tape;
  piece of tissue; wound pad; toilet paper
wound: (cut); (burn); (wound); (bruise); skin beside the {}; skin above the {}; area around the {};
  edge of the {}; skin below the {}
liquid [mass]: water = clean water = cool water; alcohol; iodine; salt water; soapy water;
  soda water; milk; vinegar; apple juice
soap [mass]: soap; shampoo; hand cream; toothpaste; baby powder; dish soap; sun cream; hair gel
protection: gloves = clean gloves; mittens; (mask); oven gloves; plastic bags; gardening gloves
cloth: cloth = clean cloth = towel; sleeve; sponge; tissue; scarf; kitchen towel; sock; face mask;
  napkin
help [mass]: help; advice; assistance; a taxi; (an ambulance)
jewel: bracelet; watch; (ring); (necklace); sleeve; hair tie
skin patch [mass]: (skin)
iron: iron; lamp; kettle; radio; heater; fan; television; toaster
"""

GENERAL = """
hand: left hand = one hand; right hand = other hand; fingertips; fist
fingers: fingers = finger; fingernails; knuckles; (thumb)
skin: hands = both hands = hand; forearms; fingertips; (knees)
person: (patient); (bystander); (assistant); (neighbour)
cover: front cover; rear cover; paper tray; side panel; output tray; scanner lid; toner flap;
  manual feed slot
supply: cartridge = ink cartridge; (toner drum); spare cartridge; paper stack; (sheet feeder);
  ink bottle; photo paper
page: test page = page; cover page; photo; blank page; shipping label; calendar page; invoice;
  address list
sticky: tape = strip; label; sticker; foil; price tag; barcode; plastic film
packing: film; wrapping; cardboard insert; foam
pot: flower pot = new pot = old pot = pot; saucer; bucket; seed tray; planter; vase; (basket)
plant: (plant = houseplant); (seedling); (weed)
earth [mass]: soil; gravel; sand; compost; mulch; clay pebbles; peat; sawdust; bark; garden earth;
  wood chips
shard: clay shard = shard; dry leaf; coin; sheet of plastic; bottle cap; lump of clay;
  piece of foil;
  paper towel
plant part: shoot; root; leaf; stem; bud; flower; twig
potted herb: basil; mint plant; parsley plant; tomato plant; (thyme)
fluid [mass]: (lemonade); (juice); (tea); (coffee); water; oil; (glue); (paint); alcohol;
  soapy water; vinegar; leftover coffee;
  salt water
fluid@add: soapy water; vinegar; salt water; leftover coffee; juice; cooking oil; cold tea; alcohol;
  lemonade
cloth: cloth; towel; sponge; brush; tissue; rag
hole: (hole = drain hole); (slot)
gap: (gap)
surface: table; floor; bench; chair; desk; windowsill; workbench
shelf: shelf = bright shelf; dark corner; windowsill; radiator; floor; kitchen table
bin: recycling box = recycling bin; trash can; (bin); paper bin; drawer; shipping box
storage: box; drawer; bag; cabinet; (bin); basket; (bucket); recycling box; paper bag
tool: screwdriver; pliers; hammer; wrench; (tape measure); crowbar
cutting tool: scissors = pair of scissors; knife; garden shears; nail clippers; paper knife
tweezers: tweezers = pair of tweezers; tongs; pliers; scissors
vessel: glass; cup; bottle; jar; bucket; watering can; bowl; vase; beaker; mug; tin
document: label; manual; notebook; receipt; sticker; (instruction sheet); notepad; envelope;
  newspaper; calendar; shopping list
date: date; time; weekday; (name); month; year
part: screw; nut; bolt; washer; clip; spring; peg
device: (phone); (tablet); (calculator); (clock)
office device: printer; scanner; copier; fax machine
board: wooden board; tray; sheet of cardboard; lid
wear: gloves; safety glasses; apron; mask; sleeves
"""
